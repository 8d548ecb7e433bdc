"""Replies of the kinds that small current models write, by where they were reported; each is usable and has to be used.

The shapes are those of the reports named beside them; the words and programs are our own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

CODE = 'def double(x):\n    """Twice x."""\n    return x * 2\n'
WORSE = "def double(x):\n    return x + 2\n"
FENCED = f"```python\n{CODE}```"
SNIPPET = "print(double(2))"
ARGUMENTS = json.dumps({"code": SNIPPET})


def programs() -> Iterator[tuple[str, str]]:
    """(name, reply): each holds CODE, and nothing else that could be meant, where `double` is asked for."""
    usage = "```python\nprint(double(2))  # 4\n```"
    # Usage, tests, output and explanations beside the program: the habit of every chat model.
    yield "usage behind", f"{FENCED}\n\n### Example usage\n{usage}"
    yield "usage before", f"You would call it so:\n{usage}\nThe program:\n{FENCED}"
    yield "usage without a language", f"{FENCED}\nUsage:\n```\nresult = double(4)\nprint(result)\n```"
    yield "usage with a loop", f"{FENCED}\n```python\nfor n in range(3):\n    print(double(n))\n```"
    yield "usage with an import", f"{FENCED}\n```python\nfrom solution import double\nassert double(1) == 2\n```"
    yield "tests behind", f"{FENCED}\nTests:\n```python\ndef test_double():\n    assert double(2) == 4\n```"
    yield (
        "a test class behind",
        (
            f"{FENCED}\n```python\nimport unittest\n\nclass TestDouble(unittest.TestCase):\n"
            "    def test_it(self):\n        self.assertEqual(double(2), 4)\n```"
        ),
    )
    yield "a session behind", f"{FENCED}\n```python\n>>> double(2)\n4\n```"
    yield "a remark as code", f"{FENCED}\n```python\n# python solution.py < numbers.txt\n```"
    yield "a command as code", f"{FENCED}\n```python\n$ python solution.py 3\n6\n```"
    yield "output behind", f"{FENCED}\nOutput:\n```\n4\n6\n```"
    yield "output as python", f"{FENCED}\nOutput:\n```python\n4\n```"
    yield "install and run", f"```bash\npip install numpy\n```\n{FENCED}\n```bash\npython solution.py\n```"
    yield "a broken sketch first", f"Roughly:\n```python\ndef double(x):\n    return <twice x>\n```\nIn full:\n{FENCED}"
    yield "a helper shown before", f"```python\nimport math\n```\n{FENCED}"
    yield "a signature first", f"The signature is `double(x)`.\n```python\ndouble(x)\n```\n{FENCED}"
    yield "a table behind", f"{FENCED}\n\n| x | double(x) |\n|---|---|\n| 2 | 4 |"
    yield "a JSON example behind", f'{FENCED}\nInput:\n```json\n{{"x": 2}}\n```'
    yield "three headings", f"## Approach\nMultiply.\n\n## Solution\n{FENCED}\n\n## Complexity\nO(1)"
    yield "other functions beside", f"{FENCED}\nFor comparison:\n```python\ndef triple(x):\n    return x * 3\n```"
    # Fences: noonghunna/benchlocal-cli#120 (a closing fence alone), huggingface/smolagents#201, #860, #1870 (tags),
    # xlang-ai/OSWorld#582 (no closing fence), UKGovernmentBEIS/inspect_evals#2326 (a sentence in front).
    yield "a closing fence alone", f"{CODE}```"
    yield "no closing fence", f"```python\n{CODE}"
    yield "no closing fence, no line end", f"```python\n{CODE.rstrip()}"
    yield "no closing fence behind a sentence", f"Here is the function:\n\n```python\n{CODE}"
    yield "closing fence in the last line", f"```python\n{CODE.rstrip()}```"
    yield "opening fence in a sentence's line", f"Here you go: ```python\n{CODE}```"
    yield "no fence at all", CODE
    yield "no fence, a sentence in front", f"Here is the function you asked for:\n\n{CODE}"
    yield "no fence, an arrow in front", f"x → 2·x, so it's simple:\n\n{CODE}"
    yield "no fence, sentences behind", f"{CODE}\nThis multiplies by two. It's O(1).\n"
    yield "no fence, a list behind", f"{CODE}\n- It's short.\n- It doesn't change its argument."
    yield "code tags", f"<code>\n{CODE}</code>"
    yield "code tags and fence", f"<code>\n{FENCED}\n</code>"
    yield "closed by a code tag", f"Thought: multiply.\nCode:\n```py\n{CODE}```<end_code>"
    yield "answer tags", f"<answer>\n{FENCED}\n</answer>"
    yield "python tag of a template", f"<|python_tag|>\n{FENCED}"
    yield "end of turn left", f"{FENCED}\n<|im_end|>"
    yield "end of text left", f"{FENCED}\n</s>"
    for info in (
        "Python",
        "PYTHON",
        "py",
        "python3",
        "python3.11",
        "ipython",
        "python title='x.py'",
        "python:solution.py",
    ):
        yield f"fence says {info}", f"```{info}\n{CODE}```"
    for info in ("solution.py", "code", "text", "txt", "plaintext", "{.python}", "{python}", "python,linenos"):
        yield f"fence says {info}", f"```{info}\n{CODE}```"
    for info in ("java", "go", "markdown", "bash"):
        yield f"fence wrongly says {info}", f"```{info}\n{CODE}```"
    yield "notebook commands", f"```python\n!pip install numpy\n%matplotlib inline\n{CODE}```"
    # Thoughts: langchain-ai/langchain#29317, admonstrator/zettelrobbe#74, langchain-ai/local-deep-researcher#88.
    yield "thoughts first", f"<think>\nTwice x. Maybe x + x?\n</think>\n\n{FENCED}"
    yield "thoughts with a draft", f"<think>\n```python\n{WORSE}```\nNo, wrong.\n</think>\n{FENCED}"
    yield "thoughts without their opening", f"Twice x, then.\n</think>\n\n{FENCED}"
    yield "reasoning tags", f"<reasoning>Twice.</reasoning>\n{FENCED}"
    # Headers that are optional: extra fields, wrong types, broken JSON, several objects.
    yield "header with fields of its own", f'{{"note": "twice", "language": "python", "version": 3}}\n{FENCED}'
    yield "header with a list", f'{{"note": ["multiplies", "returns"]}}\n{FENCED}'
    yield "header with a long note", json.dumps({"note": "word " * 200}) + f"\n{FENCED}"
    yield "header cut", f'{{"note": "multiplies by two\n\n{FENCED}'
    yield "header with an inner quote", f'{{"note": "the "double" of x"}}\n{FENCED}'
    yield "header with a comma lost", f'{{"note": "a" "format": "full"}}\n{FENCED}'
    yield "header twice", f'{{"note": "a"}}\n{{"note": "b"}}\n{FENCED}'
    yield "header in a fence, broken", f'```json\n{{"note": "a",,}}\n```\n{FENCED}'
    yield "header behind", f'{FENCED}\n\n{{"note": "multiplies"}}'
    yield "header of another schema", f'{{"status": "success", "confidence": "high"}}\n{FENCED}'
    # The program inside JSON: the habit of models trained on JSON replies (genkit-ai/genkit#4613).
    for field in ("code", "program", "solution", "python", "answer"):
        yield f"in the field {field}", json.dumps({"note": "twice", field: CODE})
    yield "in a field, fenced", f"```json\n{json.dumps({'code': CODE}, indent=2)}\n```"
    yield "in a field, with a sentence", f"Here is the JSON:\n{json.dumps({'explanation': 'twice', 'code': CODE})}"
    # Comments that are no gap.
    for comment in ("# keep the same order ... as in the input", "# the rest is unchanged", "# e.g. 1, 2, 3, ..."):
        yield f"a comment: {comment}", f"```python\n{comment}\n{CODE}```"


def calls() -> Iterator[tuple[str, str]]:
    """(name, reply): each asks for `run_snippet` with SNIPPET, and for nothing else."""
    call = {"name": "run_snippet", "arguments": {"code": SNIPPET}}
    # ollama/ollama#12174, vllm-project/vllm#32926, jundot/omlx#2565: bare, fenced and tagged JSON.
    yield "bare JSON", json.dumps(call)
    yield "indented JSON", json.dumps(call, indent=2)
    yield "fenced JSON", f"```json\n{json.dumps(call, indent=2)}\n```"
    yield "tool_call tags", f"<tool_call>\n{json.dumps(call)}\n</tool_call>"
    yield "tool_call tag left open", f"<tool_call>\n{json.dumps(call)}"
    yield "tools tags", f"<tools>\n{json.dumps(call)}\n</tools>"
    yield "function_call tags", f"<function_call>{json.dumps(call)}</function_call>"
    yield "a list", json.dumps([call])
    yield "a marked list", f"[TOOL_CALLS] {json.dumps([call])}"
    yield "said twice", f"{json.dumps(call)}\n{json.dumps(call)}"
    yield "parameters", json.dumps({"name": "run_snippet", "parameters": {"code": SNIPPET}})
    yield "type and function", json.dumps({"type": "function", "function": call})
    yield "type beside", json.dumps({"type": "function", **call})
    yield "arguments as text", json.dumps({"name": "run_snippet", "arguments": ARGUMENTS})
    yield "tool and input", json.dumps({"tool": "run_snippet", "input": {"code": SNIPPET}})
    yield "tool_name and tool_input", json.dumps({"tool_name": "run_snippet", "tool_input": {"code": SNIPPET}})
    yield "flat", json.dumps({"tool": "run_snippet", "code": SNIPPET})
    yield (
        "with a thought",
        json.dumps({"thought": "try", "action": "run_snippet", "action_input": {"code": SNIPPET}}),
    )
    yield "thinking first", f"<think>Try it.</think>\n{json.dumps(call)}"
    yield "a sentence first", f"Let me run it.\n\n{json.dumps(call)}"
    # NousResearch/hermes-agent#7449 and alchemiststudiosDOTai/tunacode#201: functions in tags.
    yield "function tag", f"<function=run_snippet>{ARGUMENTS}</function>"
    yield "parameter tags", f"<function=run_snippet>\n<parameter=code>\n{SNIPPET}\n</parameter>\n</function>"
    yield (
        "parameter tags in a call",
        (f"<tool_call>\n<function=run_snippet>\n<parameter=code>\n{SNIPPET}\n</parameter>\n</function>\n</tool_call>"),
    )
    # andrewyng/aisuite#339, vllm-project/vllm#17149: a call in Python.
    python = f"run_snippet(code={SNIPPET!r})"
    yield "a python call", python
    yield "a python call in a list", f"[{python}]"
    yield "tool_code", f"```tool_code\n{python}\n```"
    yield "a printed call", f"```tool_code\nprint({python})\n```"
    yield "python tag", f"<|python_tag|>{python}".replace("<|python_tag|>", "<|python_tag|>\n")
    yield "a positional argument", f"run_snippet({SNIPPET!r})"
    # langchain-ai/langchain#20704, run-llama/llama_index#12455 and #10322, crewAIInc/crewAI#1545: ReAct lines.
    yield "ReAct", f"Thought: I should try.\nAction: run_snippet\nAction Input: {ARGUMENTS}"
    yield "ReAct, single quotes", f"Action: run_snippet\nAction Input: {{'code': {SNIPPET!r}}}"
    yield "ReAct, plain text", f"Action: run_snippet\nAction Input: {SNIPPET}"
    yield "ReAct, fenced", f"Action: run_snippet\nAction Input:\n```python\n{SNIPPET}\n```"
    yield "ReAct, bold", f"**Thought:** Try.\n**Action:** run_snippet\n**Action Input:** {ARGUMENTS}"
    yield "ReAct, in parentheses", f"Thought: Try.\nAction: run_snippet ({ARGUMENTS})"
    yield "ReAct, a call", f"Thought: Try.\nAction: {python}"
    yield "ReAct, backticks", f"Action: `run_snippet`\nAction Input: {ARGUMENTS}"
    yield "ReAct, lines between", f"Action: run_snippet\n\nAction Input: {ARGUMENTS}"
    yield (
        "ReAct, an outcome made up",
        (
            f"Action: run_snippet\nAction Input: {ARGUMENTS}\nObservation: 5\nThought: So it is wrong.\n"
            'Final Answer: {"fault": "code", "explanation": "it gives 5"}'
        ),
    )
    yield (
        "ReAct, action and answer at once",
        (f'Action: run_snippet\nAction Input: {ARGUMENTS}\nFinal Answer: {{"fault": "code", "explanation": "wrong"}}'),
    )


def headers() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(name, reply, what it says) for the finding {fault, category, confidence, explanation, repair_hint}."""
    whole = {"fault": "code", "category": "assertion", "confidence": 0.9, "explanation": "adds 2", "repair_hint": "x"}

    def said(**changed: Any) -> str:
        return json.dumps({**whole, **changed})

    yield "percent", said(confidence=90), whole
    yield "percent sign", said(confidence="90%"), whole
    yield "number as text", said(confidence="0.9"), whole
    yield "another case", said(fault="Code", category="Assertion"), whole
    yield "an unknown category", said(category="logic"), {**whole, "category": "other"}
    yield "a category of two words", said(category="logic error"), {**whole, "category": "other"}
    short = {"fault": "code", "explanation": "adds 2"}
    yield "only what is needed", json.dumps(short), short
    yield "no confidence but a word", json.dumps({**short, "confidence": "high"}), short
    yield "null for what is optional", json.dumps({**short, "repair_hint": None, "confidence": None}), short
    # langchain-ai/langchain#38996 and #36603: lists where a text is wanted, and the other way round.
    yield "a list of sentences", said(explanation=["it", "adds 2"]), {**whole, "explanation": "it\nadds 2"}
    yield "wrapped", json.dumps({"finding": whole}), whole
    yield "wrapped in a list", json.dumps([whole]), whole
    yield "camel case", json.dumps(whole).replace("repair_hint", "repairHint"), whole
    yield "more fields", json.dumps({**whole, "severity": "high", "line": 3}), whole
    yield "final answer", f"Thought: I now know.\nFinal Answer: {json.dumps(whole)}", whole
    yield "no action", f"Thought: no tool is needed.\nAction: None\n{json.dumps(whole)}", whole
    yield "bold heading", f"**Finding**\n\n```json\n{json.dumps(whole, indent=4)}\n```\nLet me know!", whole
