"""The words that stand between a call and its value, by what they say and by language; pure data.

Each line is one language: alternatives separated by bars, regular expressions allowed, a blank is any white space.
What stands in none of these tables is unknown, and nothing is read across an unknown word."""

from __future__ import annotations

MUST = r"""
should(?: also| then| now| always| just| still| of course| therefore| simply| instead| really| obviously)?|must(?: also| always| then| still)?|shall|has to|have to|needs? to|ought to|(?:is|are) (?:expected|supposed|meant|required|to) to|(?:is|are) to|should have|please make it|please(?= return)|make it(?= return| raise| give)|let it|have it(?= return)|make|let|i'd like|we'd like|i would like|would like|i want|we want|i need|assert
soll(?:te|ten|en)?|muss|müss(?:te|en|ten)?|hat zu|stelle sicher|sorge dafür|damit
(?:doit|devra|devrait|doivent|devraient)(?: donc| aussi| alors)?|il faut que|faut|afin que|pour que|assure-toi|assurez-vous|fais en sorte
debe(?:ría|rá|n|rían)?|tiene que|ha de|tendría que|para que|asegúrate de
deve|devono|dovrebbe|dovrà|dovrebbero|ha da|si deve|affinché|assicurati
deve(?:ria|rá|m|riam)?|tem que|tem de|deve-se|precisa|garanta
должн[аоы]|должен|следует|надо|необходимо|нужно|чтобы|убедитесь|убедись
应该?|應該?|应当|必须|必須|需要|需|须|一定要|要|务必|以便|确保|保证
moet(?:en)?|hoort|dient|powinn[aoi]|powinien|musi|ska|skall?|bör|måste|해야 (?:합니다|한다)
"""
"""Says what has to be."""

EXPECTED = r"""
(?:i |we |i'd |you )?expect(?:ed|ing)?|expected(?: result| output| value| answer| outcome| behaviou?r)?|(?:wanted|desired|required)(?: result| output| value)?|wanted|the expectation
erwarte(?:t|te|n)?(?: wird| werden| ich| wir)?|gewünscht|ich erwarte|ich will|ich möchte
attendue?s?|on attend|on s'attend à|j'attends|je veux|je voudrais|voulue?
esperad[oa]s?|se espera(?: que)?|espero(?: que)?|se esperaba|quiero que
attes[oa]|ci si aspetta|mi aspetto(?: che)?|si attende|previst[oa]
esperad[oa]s?|espera-se(?: que)?|espero(?: que)?|quero que
ожида(?:ется|лось|ю|ем|емый результат|емое значение)|ожидаемый|ожидаемое|хочу
期望(?:值|结果|输出|得到|返回|的结果|的输出)?(?:是|为)?|预期(?:值|结果|输出)?(?:是|为)?|希望|想要
(?:を|に|が|と)?(?:返す|返る|なる|送出する|投げる|発生させる|する|等しい|スローする)(?:べき|必要がある|必要があります)(?:です|だ|である|で|である)?|(?:を|に|と)(?:返さ|なら|し|発生させ|送出し|投げ|スローし)なければ(?:ならない|なりません|いけない|いけません)|でなければ(?:ならない|なりません)|であるべき(?:です|だ|で)?|であること|(?:を返す|を返却する|になる|となる|を送出する|を発生させる|を投げる)こと|(?:を返す|である|になる)ことを確認(?:して(?:ください|下さい)|する)?|を返すものと(?:する|します)|を返して(?:ほしい|欲しい|ください)|になるように(?:して(?:ください|下さい|ほしい)|する|修正して(?:ください|下さい))?|になってほしい
期待(?:値|される値|される結果|する値|される出力|結果)?|期待(?:される)?
verwacht|oczekiwan[aey]|förväntat
"""

RIGHT = r"""
correct(?:ly)?|right|rightly|proper(?:ly)?|as it should
richtig(?:e|er|es|erweise)?|korrekt(?:e|es|erweise)?
(?:le )?correcte?(?:ment)?|juste|la bonne (?:valeur|réponse)|le bon résultat
correct[oa](?:mente)?
corrett[oa](?:mente)?|giust[oa]
corret[oa](?:mente)?|cert[oa]
правильн(?:о|ый|ая|ое)(?: будет)?|верн(?:ый|ое|ая)
正确(?:的)?(?:结果|答案|值|输出)?(?:是|为|应为|应该是)?|正確(?:的)?
正しい(?:値|結果|答え|出力)?|正しく
"""

GIVES = r"""
returns?|give(?:s)?(?: back| out)?|yields?|produces?|evaluates? to|results? in|comes? out as|ends up as|become(?:s)?|stays?|remains?|equals?|returning|giving|yielding|be returned|is returned|are returned|turns into|get|gets|outputs nothing but|answers?(?= with)
gibt|ergibt|ergeben|ergebe|liefert?(?: zurück)?|liefern|liefere|zurück(?:geben|gibt|gebe|liefern|liefert|kommen|kommt|gegeben|gegeben wird|gegeben werden)?|zurückgeliefert(?: werden)?|kommt|heraus(?:kommen|kommt)?|wird zu|bleibt|bleiben|entsteht|erzeugt|erzeugen|entspricht|entsprechen|geben|zu liefern|resultiert in|erhält(?: man)?|bekommt(?: man)?
renvo(?:ie|yer|ient|yé|yée|yant)|renverra|retourn(?:e|er|ent|era|é|ant)|ren(?:d|dre)|donn(?:e|er|era|ent|ant)|vaut|valoir|vaudra|produi(?:t|re)|devien(?:t|ne|dra)|devenir|reste(?:r|ra)?|obtient|obtenir|s'évalue à|être renvoyé
dev(?:uelve|olver|olverá|uelva|uelven|uelto)|devolverse|retorn(?:a|ar|ará|e)|da|dar|dé|dará|produce|produzca|resulta(?:r)?(?: en)?|obtiene|obtener|se obtiene|se convierte en|queda(?:r)?|regresa(?:r)?|vale|valer|evalúa a|entrega(?:r)?
restituisc(?:e|a|ono)|restituir[eà]|restituirà|ritorn(?:a|are|i|erà)|torna(?:re)?|dà|dare|dia|darà|produ(?:ce|rre)|vale|valere|valga|diventa(?:re)?|rimane(?:re)?|si ottiene|ottiene|ottenere|risulta(?:re)?|restituito
retorn(?:a|ar|ará|e|ado)|devolv(?:e|er|erá|a|ido)|dá|dar|dê|dará|produz(?:ir)?|resulta(?:r)?(?: em)?|obtém-se|obtém|obter|vira|torna-se|fica|vale|valer|se torna|transforma-se em
возвраща(?:ет|ть|ла бы|ют)|возвращал[ао]?(?= бы)|возвращено|вер(?:нуть|нёт|нет|нула бы)|возвратить|возвратит|возвращается|возвращала(?=\s)|(?:вы)?да(?:ёт|ет|вать|ть|ст)|получ(?:ается|ится|аем|им|ить)|станет|становится|превращается в|превратится в|останется|оставаться|остаётся
返回(?:值)?(?:为|是)?|返回(?=[^了])|得到|得出|得|给出|输出结果(?:为|是)|变成|变为|转换为|变成为|产生|計算出|回傳|返回值(?:应为|应该是|为|是|等于)|求得|保持
(?:を|が)?(?:返す|返します|返し|返却する|返却します|返る|返ります|返ってくる|返ってきます|返される|返されます|得られる|得られます|得る)|(?:に|と)(?:なる|なります|なり|変わる|変換される|変換されます)|を戻す|を戻します|のまま
geeft(?: terug)?|retourneert|teruggeven|zwr(?:aca|ócić)|daje|döndür(?:ür|meli)|returnerar|returnera|blir|을 반환(?:합니다|한다|해야 합니다)|를 반환(?:합니다|한다|해야 합니다)
"""
"""Says what a call gives."""

IS = r"""
is(?: equal to| just| simply| exactly| therefore| then| thus| also| always)?|are|be(?: equal to| exactly)?|been|equal to|to be|to equal|is the same as|being|amounts to|has (?:the )?value|have the value
ist(?: gleich| also| dann| genau)?|sind|sei|sein|gleich|lautet|lauten|beträgt|hat den wert|haben
est(?: égale? à)?|soit|être(?: égale? à)?|sera|égale?|égale? à|c'est
es(?: igual a)?|sea(?: igual a)?|ser(?: igual a)?|será|igual a|son
è(?: uguale a)?|sia(?: uguale a)?|essere(?: uguale a)?|sarà|uguale a|sono|e'
é(?: igual a)?|seja(?: igual a)?|ser(?: igual a)?|será|igual a
рав(?:но|ен|на|ны|няется|няться)|быть(?: рав(?:но|ен|на))?|будет(?: рав(?:но|ен|на))?|было|это|является|составляет|был[ао]?(?= рав)
是|为|為|等于|等於|即|即为|即是|就是|相等于
は|が|も|(?:に|と)(?:等しい|等しく(?:なる|なります|なければならない)?|一致する)|です|である|であり|で(?=[,、]|$)|だ|イコール
jest|równa się|är|eşittir|는|은
"""

WILL = r"""
will|would|does|do
wird|werden|würde|wäre|kann man erwarten
va|on a|serait
va a|vendría a|sería
vai|seria|sarebbe
будет
会|將|将|则|便|就|也|都|才|就会
"""

RAISES = r"""
raises?|throws?|raising|throwing|be raised|is raised|are raised|fails? with|failing with|crash(?:es)? with|errors? with|dies with|die with|end(?:s)? with|be rejected with|is rejected with|results? in|explodes with|blows up with|gives|produces
löst|lösen|auslösen|auslöst|wirft|werfen|geworfen(?: werden| wird)?|ausgelöst(?: werden| wird)?|aus|scheitert(?: mit)?|scheitern|führt zu|führen|wirft mir|schlägt mit|stürzt mit|bricht mit
lèv(?:e|era|ent)|lever|lance(?:r|ra)?|déclenche(?:r|ra)?|provoque(?:r|ra)?|soul[eè]ve(?:r)?|échoue(?:r)? avec|jette(?:r)?|produire|(?:être|est|sera) levée?
lanza(?:r|rá)?|lance|genera(?:r)?|genere|arroja(?:r)?|levanta(?:r)?|eleva(?:r)?|produce|provoca(?:r)?|falla(?:r)? con|dispara(?:r)?
solleva(?:re|rà)?|sollevi|lancia(?:re|rà)?|lanci|genera(?:re)?|produce|provoca(?:re)?|fallisce con|fallire con|scatena(?:re)?
lança(?:r|rá)?|lance|levanta(?:r)?|gera(?:r)?|dispara(?:r)?|provoca(?:r)?|falha(?:r)? com|causa(?:r)?
вызыва(?:ет|ть)|вызвать|вызовет|(?:вы)?брос(?:ить|ит|ает)|(?:вы)?брасыва(?:ет|ть)(?:ся)?|возникает|бросает|бросать|подн(?:имает|имать|ять)|кида(?:ет|ть)|выкида(?:ет|ть)|приводит к|генерирует|падает с|возбуждает
抛出|拋出|引发|引發|触发|觸發|报(?:错)?|产生|抛
(?:を|が)(?:発生させる|発生させます|発生する|発生します|送出する|送出します|投げる|投げます|スローする|スローします|送出される|起きる|起きます|出る|出ます|送出し|発生させ)|を raise する|になる|になります|となる
gooit|werpt|zgłasza|rzuca|kastar|fırlatır
"""

FOR = r"""
for|when called (?:as|with|like|on)|called (?:as|with)|when given|given|on|from|by|at|when calling|when i call|if called with|for the (?:input|call|argument|value)|for input|on input|with(?: the)? input|for an input of|with an input of|of
für|bei|für die eingabe|bei eingabe(?: von)?|bei der eingabe|mit eingabe|mit|durch|von
pour|avec|sur|quand on appelle|lorsqu'on appelle|si on appelle|par|pour l'entrée|avec l'entrée|de
para|con|con la entrada|para la entrada|al llamar(?: a)?|si se llama|por|de
per|con|con l'ingresso|per l'input|chiamando|quando si chiama|da|con input|di
para|com|com a entrada|para a entrada|ao chamar|chamando|por|de
для|при|при вызове|на|на входе|при входе|для входа|для входных данных|если вызвать|от|из
对于|對於|对|輸入|输入|当输入|给定|调用|当调用|当|若输入|对于输入|如果输入
に対(?:して|する)(?:は|も)?|の場合(?:は|には|に|,)?|を呼び出すと|を呼ぶと|を呼び出した(?:場合|とき)(?:は|に)?|を実行すると|のとき(?:は|に|には)?|の時(?:は)?|を渡すと|を入力すると|を与えると|で|なら(?:ば)?
"""
"""Leads to a call or an input."""

BUT = r"""
but|yet|while|although|though|when|where|whereas|however|still
aber|jedoch|obwohl|sondern|dabei
mais|alors que|alors qu'il|cependant|pourtant
pero|sino|mientras que|aunque|cuando
ma|però|mentre|invece
mas|porém|enquanto|embora|quando
но|а|однако|хотя|тогда как
但是?|可是|却|不过|然而|而(?!不)
(?:です|ます)?が(?=[,、])|けど|けれども?|しかし|のに
"""

INSTEAD = r"""
instead of|rather than|in place of
statt|anstatt|anstelle von|und nicht
au lieu d[e']|plutôt que(?: d[e'])?
en (?:lugar|vez) de
invece (?:di|che)|anziché
em vez de|ao invés de
вместо|а не
而不是|而非
ではなく|じゃなくて|でなく
"""

NOT = r"""
not
nicht
pas|et non
no
non
não|e não
не
不是
"""
"""Sets a wrong value apart: "4, not 3"."""

WAS = r"""
(?:it )?(?:gave|returned|yielded|produced|raised|threw|printed|was|were|got|gets|comes back with)|(?:i|we|it|and)? ?(?:get|got|see|saw|have|receive|received)|gives me|gave me|currently returns|got back
bekomme(?: ich)?|bekam|erhalte(?: ich)?|gab|lieferte|ergab|kam|ich sehe|warf
j'obtiens|renvoyait|donnait|a renvoyé
obtengo|devolvía|devolvió|daba|dio
ottengo|restituiva|ha restituito
obtenho|recebo|retornou|devolvia|retornava
получаю|вернул[ао]?|возвращал[ао]?|получил[ао]?
返回了|得到了|我得到|抛出了
を返した|を返しました|になった|になりました|を返してしまいます|を返してしまう|になってしまう|が発生した|が発生しました|が発生してしまう
"""
"""Tells what happened: a report, never a promise."""

WRONG = r"""
(?:which |that |this |it )?(?:is |was )?(?:just |simply |clearly |obviously )?(?:wrong|incorrect|a bug|not right|not correct)
(?:das |was |es )?(?:ist |war )?(?:falsch|ein fehler|nicht richtig|verkehrt)
(?:ce qui |c'est |cela )?(?:est )?(?:faux|incorrect|une erreur|un bug)
(?:lo cual |eso |lo que )?(?:es |está )?(?:incorrecto|mal|un error|erróneo)
(?:il che |che )?(?:è )?(?:sbagliato|errato|un errore)
(?:o que |isso )?(?:é |está )?(?:errado|incorreto|um erro)
(?:это |что )?(?:неправильно|неверно|ошибка)
(?:这|那)?是?(?:错的|错误的|不对|不对的|错误)
(?:これは|それは)?(?:間違い|誤り|間違っている|バグ)(?:です|だ|ます)?
"""

NOISE = r"""
that|the|a|an|it|which|this|that|and it|result(?: of)?|value(?: of)?|output|answer|outcome|return value|your function|the function|function|call|back|me|us|you|to|then|also|now|exactly|only|just|simply|too|please|so|and|always|as well|both|instead|exception|error|in|with|being|one|correctly|tuple|list|string|text|number|integer|int|float|boolean|bool|dict|dictionary|set|array|character|hence|thus|therefore|for example|for instance|e\.g\.|i\.e\.|again|there|here
dass|den|dem|das|die|der|ein|eine|einen|einem|er|sie|es|ergebnis(?: von)?|wert|rückgabewert|ausgabe|funktion|die funktion|dann|also|auch|genau|nur|einfach|wieder|zum beispiel|z\. ?b\.|bitte|und|sofort|ausnahme|aufgerufen|liste|zeichenkette|string|zahl|tupel|daher|deshalb|mit|zu|man|ich|dafür|auf|aufruft|immer|stets|dagegen|hingegen|jeweils
le|la|les|l'|un|une|il|elle|on|ce|résultat|valeur|sortie|fonction|donc|alors|aussi|exactement|bien|toujours|par exemple|et|l'exception|exception|erreur|liste|tableau|chaîne|nombre|entier|doit|ceci|cela|en|à|qui|que|qu'|lui
el|la|los|las|un|una|lo|ello|resultado|valor|salida|función|entonces|también|exactamente|siempre|por ejemplo|y|e|la excepción|excepción|error|lista|arreglo|cadena|número|entero|tupla|con|que|se|así
il|lo|la|gli|le|un|uno|una|l'|risultato|valore|uscita|funzione|quindi|allora|anche|esattamente|sempre|per esempio|ad esempio|e|ed|eccezione|l'eccezione|errore|lista|stringa|numero|intero|tupla|che|si|si ha
o|a|os|as|um|uma|ele|ela|resultado|valor|saída|função|então|também|exatamente|sempre|por exemplo|e|exceção|a exceção|erro|lista|string|número|inteiro|tupla|que|se|isso
он|она|оно|результат(?: вызова| работы)?|значение|ответ|вывод|функция|тогда|также|именно|всегда|например|и|так|то|исключение|ошибку|список|массив|строку|строка|число|кортеж|в|бы|нам|мне|что
的?(?:结果|返回值|值|输出|答案|運算結果)|函数|该函数|那么|时|的时候|那|例如|比如|它|其|则|异常|一个|錯誤|错误|列表|数组|字符串|数字|整数|元组|并|且|由|在|请|会|一样
(?:の)?(?:結果|戻り値|返り値|値|出力|答え)|関数|例えば|たとえば|それ|これ|例外|エラー|を|に|と|の(?=結果|戻り値|返り値|値|出力)|リスト|配列|文字列|数値|整数|必ず|ちょうど
"""
"""Says nothing of its own; may stand between the others."""

LEAD = r"""
example|examples|instance|like|as|if|so|since|because|means?|say|says?|where|when|while|whereas|once|call|calling|calls|called|invoking|invoke|evaluating|evaluate|running|run|test|check|expression|case|thus|hence|whether|is|are|specifically|namely|namely:|e\.g|etc|but|with|or rather|using|consider|verify|ensure(?: that)?|make sure(?: that)?|such that|so that|the call|that both|use|fix|for|keep|respectively|first|second|third|finally|plus|currently|also|similarly|likewise|analogously|conversely|otherwise|concretely|input|given|only|from now on|returns?|yields?|gives?|for|given|with input|on
beispiel|beispielsweise|etwa|also|so|dass|damit|sodass|wenn|falls|während|aufruf|der aufruf|aufrufen|rufe|weil|wobei|und|aber|bei|wird|denn|daher|folglich|ist|sind|ich|man|wir|gilt|heißt|ebenso|analog|entsprechend|test|gelten|für|bei|soll|muss
exemple|ainsi|donc|que|qu'|si|quand|lorsque|afin que|pour que|appel|l'appel|car|où|mais|et|alors|de même|on a|appeler|comme|test|tandis que|pour|appelle|appelant
ejemplo|así|que|si|cuando|para que|llamada|la llamada|porque|donde|pero|y|e|mientras que|igualmente|llamar a|a|como|prueba|entonces|para
esempio|così|che|se|quando|affinché|chiamata|la chiamata|perché|dove|ma|e|ed|mentre|quindi|chiamare|chiamando|come|prova|per
exemplo|assim|que|se|quando|para que|chamada|a chamada|porque|onde|mas|e|enquanto|portanto|chamar|chamando|como|teste|para
пример|так|что|если|когда|чтобы|вызов|вызова|потому что|где|но|а|и|то есть|тогда|как|например|тест|пусть|при этом|следовательно|поэтому|вызове|для|при
例如|比如|如|示例|例子|例|当|调用|对于|如果|因此|所以|那么|即|则|且|并且|而|和|使得|确保|保证|以便|同样|另外|执行|运行|表达式|譬如|让|使
例えば|たとえば|例|もし|また|そして|かつ|なので|従って|したがって|呼び出し|つまり
"""
"""May stand directly before a call without changing what its value means; -ly and -mente words may too."""

AND = r"""
and|while|whereas|because|since|so|then|as (?!an?\b|str\b|text\b|if\b)|also|too|as well|exactly|here|in this|respectively|given that|due to|for any|instead|again|so that|fails|there|in that case
und|während|weil|da|denn|also|so|auch|hier|wobei|wie|damit|schlägt fehl
et|car|puisque|parce que|tandis que|donc|aussi|ici|afin que|pour que|échoue
y|e|ya que|porque|pues|mientras|también|puesto que|para que|falla
ed?|perché|poiché|mentre|anche|quindi|dato che|affinché|fallisce
e|pois|porque|já que|enquanto|também|visto que|para que|falha
и|а|так как|потому что|поскольку|ведь|тоже|также|чтобы
和|并且|且|而|因为|，|及|以及|并
と|、|かつ|また|なぜなら|として
"""
"""May stand after a value without changing it."""

GENITIVE = r"of|von|vom|des|de|du|del|della|dei|di|do|dos|из|от|van"
RESULT = r"""
result|output|value|answer|outcome|call|evaluation|case|example|return value|return
ergebnis|wert|rückgabewert|rückgabe|ausgabe|aufruf|fall|beispiel
résultat|valeur|sortie|l'appel|appel|cas|exemple
resultado|valor|salida|llamada|caso|ejemplo
risultato|valore|uscita|chiamata|esempio
saída|chamada|exemplo
"""
"""What may be "of f(2)" and still be the value of f(2)."""

OR = r"or|oder|bzw|beziehungsweise|ou|o|ó|u|oppure|или|либо|或者?|または|か|もしくは|of|lub|eller|veya"

EMPTY = (
    (r"list|array|liste?|lista|list[ae] vuot[ao]|список|列表|リスト|数组|配列", "[]"),
    (r"string|text|str|zeichenkette|text|chaîne|cadena|stringa|string|строк[уа]|字符串|文字列", "''"),
    (r"dict|dictionary|mapping|wörterbuch|dictionnaire|diccionario|dizionario|dicionário|словарь|字典|辞書", "{}"),
    (r"tuple|tupel|tupla|кортеж|元组|タプル", "()"),
)
EMPTY_WORDS = r"empty|leere[rnms]?|vide|vac[ií][oa]|vuot[oa]|vazi[oa]|пуст(?:ую|ой|ая)|空(?:的|の)?"

KINDS = (
    (r"strings?|text|zeichenkette|chaîne|cadena|stringa|строк[ау]|字符串|文字列|character", "str"),
    (r"list|array|liste?|lista|arreglo|tableau|список|массив|列表|数组|リスト|配列", "list"),
    (r"tuple|tupel|tupla|кортеж|元组", "tuple"),
    (r"int|integer|number|float|zahl|nombre|entier|número|entero|numero|intero|inteiro|число|数字|整数|数値", "number"),
    (r"dict|dictionary", "dict"),
    (r"bool|boolean", "bool"),
)
"""What a noun says of the value behind it: "returns the string 4" is not the number."""
