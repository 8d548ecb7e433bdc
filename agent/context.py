"""Holds what a node may use besides the state: events, model calls, the sandbox and pauses. Every node is wrapped by
`node` here."""

from __future__ import annotations

import functools
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol, TypeVar

from langgraph.runtime import Runtime
from langgraph.types import Overwrite, interrupt

from framework.errors import StoreError
from llm.errors import BadReply, BudgetExceeded, LLMError, ProviderError, Refusal
from llm.tokens import estimate_tokens
from llm.types import Answer, Message, Reply, Request, Usage
from prompts import PromptTooLong, load_prompt
from sandbox.types import Artifact, Execution, Program, SandboxBroken

from .config import AgentConfig
from .events import (
    AgentEvent,
    CallMade,
    NodeFinished,
    NodeStarted,
    Noted,
    QuestionAnswered,
    QuestionAsked,
    TextStreamed,
    codec,
)
from .events.transcript import SAID, said_in, searches_of, unsearched
from .session import KeptDraft, Session
from .session.fingerprints import digest_of, hashed, program_parts
from .session.packages import needs
from .session.question import Ask
from .session.roles import Role
from .state import PersonAnswer, Task, Update
from .state.done import Done
from .state.questions import Payload, QuestionKind

R = TypeVar("R")
CHARS_FOR_CODE = 2
"""Characters of program text that a prompt may hold, per token of its limit. At about three characters a token, a third
of the prompt stays free for everything else."""
NO_REPLY = (BudgetExceeded, ProviderError, PromptTooLong, BadReply)
"""The errors after which a run goes on without the reply of a role."""


@dataclass(slots=True)
class Context:
    """The services of one execution of one node. LangGraph executes a node again after a pause or a crash: its events
    then get the same identities as before, and model replies and program executions that were already paid for are read
    from the run's memo."""

    session: Session
    task_id: str
    task: Task
    problems: list[str] = field(default_factory=list[str])
    done: list[Done] = field(default_factory=list[Done])
    installs: bool = False
    """Whether packages that a program lacks may be installed for its executions."""
    searches: bool = False
    """Whether roles that ask for web search may get it."""
    author: tuple[str, str] = ("", "")
    """Provider and model of the last reply."""
    _emitted: int = 0

    def emit(self, event: AgentEvent) -> None:
        self.session.port.emit(event, f"{self.task_id}:{self._emitted}")
        self._emitted += 1

    async def ask(
        self, role: Role[R], template: str, *, question: str, options: Ask | None = None, **variables: Any
    ) -> R:
        """Asks `role` and returns its valid reply, read into the role's type. Raises what `converse` raises."""
        reply = await self.converse(role, template, question=question, options=options, **variables)
        return role.read(reply)

    async def converse(
        self, role: Role[R], template: str, *, question: str, options: Ask | None = None, **variables: Any
    ) -> Reply:
        """Asks `role` and returns its reply as it came. When the model calls tools, runs them and asks again with what
        they showed; the last of `options.turns` turns offers no tools. Raises BadReply when the model calls a tool in
        the last turn, the errors of llm.errors, PromptTooLong and PromptError."""
        options = options or Ask()
        for turn in range(1, options.turns + 1):
            offered = options if turn < options.turns else replace(options, tools=())
            name = question if options.use is None else f"{question}{options.turn_mark}{turn}"
            reply = await self._turn(role, template, name, offered, variables)
            if not reply.tool_calls or options.use is None:
                return reply
            said = (Message("assistant", "", tool_calls=reply.tool_calls),)
            shown = tuple([await options.use(call) for call in reply.tool_calls])
            options = replace(options, history=(*options.history, *said, *shown))
        raise BadReply(f"the {role.name.replace('_', ' ')} went on using tools and did not conclude")

    async def _turn(
        self, role: Role[Any], template: str, question: str, options: Ask, variables: Mapping[str, Any]
    ) -> Reply:
        prompt = load_prompt(role.name)
        limit = self.session.limit_of(role.name, prompt.max_tokens)
        fitted = prompt.fit(template, variables, limit=limit, count=estimate_tokens)
        if fitted.trimmed:
            self.emit(Noted(f"shortened for the {role.name.replace('_', ' ')}: {', '.join(fitted.trimmed)}"))
        request = Request(
            role=role.name,
            task=self.task.whole or self.task.text,
            question=f"{self.task.part}:{question}" if self.task.part else question,
            messages=(
                Message("system", prompt.system),
                Message("user", fitted.text, stable=fitted.stable),
                *options.history,
            ),
            schema=prompt.schema,
            code=options.code or prompt.code,
            names=options.names,
            takes_edits=options.takes_edits,
            tools=options.tools,
            search=options.search and self.searches,
            max_tokens=prompt.max_tokens,
            temperature=options.temperature,
            data=options.data,
        )
        file = f"{role.name}/{template} v{prompt.version}"
        answer = await self._paid_once(request, options.escalate, file)
        self._report(request, answer, file)
        return answer.reply

    async def ask_or_none(
        self, role: Role[R], template: str, *, question: str, options: Ask | None = None, **variables: Any
    ) -> R | None:
        """Asks like `ask`, but returns None when the role gives no valid reply, the budget is spent, the prompt does
        not fit, or a service fails. Each of these becomes a problem of the run. Raises ProviderError when a service
        fails and `options.needed` is set."""
        try:
            return await self.ask(role, template, question=question, options=options, **variables)
        except NO_REPLY as error:
            if isinstance(error, ProviderError) and (options or Ask()).needed:
                raise
            if isinstance(error, Refusal):
                self.done.append(Done("declined", question))
            if isinstance(error, PromptTooLong | BadReply):
                self.done.append(Done("failed", question))
            self.go_without(role, error)
        return None

    def go_without(self, role: Role[Any], error: Exception) -> None:
        """Records, as a problem of the run, why a role has nothing to say; `error` is one of NO_REPLY. After a spent
        budget or a failing service no further model is asked, and the run concludes with what it has."""
        name = role.name.replace("_", " ")
        match error:
            case BudgetExceeded() | ProviderError():
                kind = "budget" if isinstance(error, BudgetExceeded) else "provider"
                self.done.append(Done("exhausted", kind, str(error)))
                self.problems.append(str(error))
            case PromptTooLong():  # the cause is the model's window, not the prompt's file
                target = self.session.router.chains.chain(role.name)[0]
                window = f"the window of {target} is too small for the question to the {name}: {error}"
                self.problems.append(f"{window}; a model with a larger window, or a shorter task, helps")
            case Refusal():
                self.problems.append(f"asked as the {name}, the model gave words instead; it said: “{error}”")
            case _:
                self.problems.append(f"the {name} gave no usable reply: {error}")

    def room_for_code(self, role: Role[R]) -> int:
        """Returns how many characters of a program a prompt of the role may hold beside everything else."""
        return self.session.limit_of(role.name, load_prompt(role.name).max_tokens) * CHARS_FOR_CODE

    def tell_once(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)

    async def _paid_once(self, request: Request, escalate: int, file: str) -> Answer:
        key = "call:" + digest_of([request.role, request.question, [asdict(message) for message in request.messages]])
        if (stored := self.session.port.recall(key)) is not None:
            return codec.answers.decode(stored)
        if (reason := self.session.exhausted()) != "":
            raise BudgetExceeded(reason)

        async def ask() -> Answer:
            answer = await self._asked(request, escalate, file, key)
            self.session.port.remember(key, codec.answers.encode(answer))
            self._keep_dialogue(key, request, file, answer)
            # The reply is used only after it is stored. If the process is killed from here on, whoever takes the run
            # over does not pay for the call a second time.
            await self.session.port.settled()
            return answer

        return await self.session.port.pay(ask)

    async def _asked(self, request: Request, escalate: int, file: str, key: str) -> Answer:
        paid = len(self.session.meter.settled)
        try:
            return await self.session.router.ask(
                request,
                self.session.meter,
                on_text=lambda text: self.session.port.emit_live(TextStreamed(request.role, text)),
                on_note=lambda words: self.session.port.emit_live(Noted(words)),
                escalate=escalate,
                deadline=max(0.0, self.session.deadline - time.monotonic()),
                drafts=KeptDraft(self.session.port, key),
            )
        except BaseException as error:
            self._report_failed(request, paid, error, file)
            if isinstance(error, LLMError) and time.monotonic() > self.session.deadline:
                raise BudgetExceeded(self.session.exhausted()) from error
            raise

    def _keep_dialogue(self, key: str, request: Request, file: str, answer: Answer | BaseException) -> None:
        """Keeps what was said in this call for `python -m agent show`. The store redacts the text; KEEP_DIALOGUE
        switches this off."""
        if self.session.keep_dialogue and isinstance(answer, Answer | LLMError):
            self.session.port.record(f"{SAID}{key}", said_in(request, file, answer))

    def _report_failed(self, request: Request, paid: int, error: BaseException, file: str) -> None:
        """Emits what was paid for a question that got no valid reply, even if the call was interrupted. Each event
        takes its identity from the payment: an interrupted node is executed again and numbers its own events anew,
        which would count the payment twice."""
        self._keep_dialogue(f"failed:{paid}", request, file, error)
        for place, call in enumerate(self.session.meter.settled[paid:], paid):
            if (call.role, call.question) != (request.role, request.question):
                continue
            provider, _, model = call.model.partition(":")
            made = _call_made(request, file, provider, model, call.usage, call.cost_usd)
            notes = (f"no usable reply: {type(error).__name__}",)
            self.session.port.emit(replace(made, notes=notes), f"paid:{place}")

    def _report(self, request: Request, answer: Answer, file: str) -> None:
        self.author = answer.provider, answer.model
        for search in searches_of(answer):
            self.emit(search)
        for problem in unsearched(answer):
            self.tell_once(problem)
        made = _call_made(request, file, answer.provider, answer.model, answer.usage, answer.cost_usd)
        paid = sum(attempt.usage != Usage() for attempt in answer.attempts)
        self.emit(replace(made, seconds=answer.seconds, attempts=paid, notes=answer.notes))

    async def execute(self, program: Program) -> Execution:
        """Runs the program, or returns the stored execution when the same program was already run in this run.
        Artifacts carry the SHA-256 of their bytes in place of the bytes. Raises SandboxBroken as `run_fresh` does."""
        program = self.equipped(program)
        key = "execution:" + digest_of(program_parts(program))
        if (stored := self.session.port.recall(key)) is not None:
            return codec.executions.decode(stored)
        execution = await self.run_fresh(program)
        lean = replace(hashed(execution), stdout=execution.stdout[-4000:], stderr=execution.stderr[-4000:])
        self.session.port.remember(key, codec.executions.encode(lean))
        return lean

    def equipped(self, program: Program) -> Program:
        """Returns the program with the packages that it lacks, if packages may be installed."""
        needed = needs(self.task, program) if self.installs else ()
        return replace(program, packages=needed) if needed else program

    async def run_fresh(self, program: Program) -> Execution:
        """Runs the program now, whether or not it was run before; artifacts carry their bytes. Missing packages are
        installed first if that is allowed; when the installation fails, the program is run without them. Raises
        SandboxBroken when the sandbox broke before any check ran."""
        equipped = self.equipped(program)
        if equipped.packages and (why := await self.session.sandbox.install(equipped.packages)):
            self.tell_once(f"{', '.join(equipped.packages)} could not be installed: {why}")
            equipped = replace(program, packages=())
        execution = await self.session.sandbox.run(equipped)
        if execution.status == "broken" and all(check.status == "not_run" for check in execution.checks):
            raise SandboxBroken(execution.error)
        return execution

    async def keep(self, artifact: Artifact) -> None:
        """Stores a file that the program made. When the store refuses the file, that becomes a problem of the run and
        does not end it."""
        try:
            await self.session.port.save_blob(artifact.name, artifact.mime, artifact.data)
        except StoreError as error:
            self.tell_once(str(error))

    def pause(self, question: QuestionKind, payload: Payload) -> Mapping[str, Any]:
        """Ends the drive until the person answers. The node is then executed again from its start, and this call
        returns the answer."""
        return interrupt({"kind": question, "payload": dict(payload)})

    def put(self, question: QuestionKind, payload: Payload) -> PersonAnswer:
        """Puts a question to the person as `pause` does, tells question and answer as events, and returns the
        answer."""
        self.emit(QuestionAsked(question, payload))
        answer = self.pause(question, payload)
        given = PersonAnswer(question, str(answer["action"]), str(answer.get("text", "")))
        self.emit(QuestionAnswered(question, given.action, given.text))
        return given


def _call_made(request: Request, file: str, provider: str, model: str, usage: Usage, cost: float | None) -> CallMade:
    asked, tokens = (request.role, request.question), (usage.input, usage.output)
    return CallMade(*asked, provider, model, *tokens, cost, seconds=0.0, prompt=file)


class HasTask(Protocol):
    @property
    def task(self) -> Task: ...
    @property
    def config(self) -> AgentConfig: ...


S = TypeVar("S", bound=HasTask)
S_in = TypeVar("S_in", bound=HasTask, contravariant=True)


class Node(Protocol[S_in]):
    __name__: str

    async def __call__(self, state: S_in, runtime: Runtime[Session]) -> Update: ...


def node(act: Callable[[S, Context], Awaitable[Update]]) -> Node[S]:
    """Adapts `act(state, context)` to a LangGraph node that announces its start and its finish."""

    @functools.wraps(act)
    async def run(state: S, runtime: Runtime[Session]) -> Update:
        info = runtime.execution_info
        context = Context(runtime.context, info.task_id if info else "", state.task)
        context.installs = state.config.install_packages and runtime.context.may_install
        context.searches = state.config.web_search and runtime.context.may_search
        started = time.perf_counter()
        context.emit(NodeStarted(act.__name__))
        update = await act(state, context)
        context.emit(NodeFinished(act.__name__, time.perf_counter() - started))
        return with_problems(update, context)

    del run.__wrapped__  # LangGraph must see `runtime`, not the signature of `act`
    return run


def replaced(value: object) -> object:
    """Wraps a value of an update so that it replaces what the state holds, even for a field whose updates are otherwise
    added."""
    return Overwrite(value)


def with_problems(update: Update, context: Context) -> Update:
    """Returns the node's update with the problems and Done entries that the context collected."""
    if context.problems:
        update["problems"] = [*update.get("problems", []), *context.problems]
    if context.done:
        update["done"] = [*update.get("done", []), *context.done]
    return update
