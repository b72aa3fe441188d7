package units

// Phrases by language. Capitals and accents do not matter. What is "not covered" or "not included" is a statement.
const (
	english = `
opener: no | yes | unfortunately not | i'm afraid not | no worries | as far as i know | as far as i can see/tell | thanks for asking | i'm sorry | sadly not | yep | yeah | nope | sure | certainly | of course | absolutely | definitely | correct | right | exactly | indeed | ok | okay | well | so | great |
good news | great question | good question | unfortunately | sadly | sorry | in short | in summary | in brief | to summarize | to sum up | overall | note | please note | short answer | quick answer |
yes and no | not quite | not exactly | almost | thanks | thank you | hi there | hello there | good morning | good afternoon | good evening | i'm afraid | happy to help | glad to help | quick summary | done | understood | got it

greeting: hi | hello | hey | dear

intro: according to | based on | based upon | as per | per | in | from | as stated in | as mentioned in | going by

courtesy: i'd/we'd recommend/suggest/advise | in my/our opinion/view | personally | to my mind | as i/we see it | perhaps | maybe | it may/might be that | i/we think/believe/feel/guess/prefer/love/suppose/imagine/reckon | i'd/we'd say/argue/guess/prefer | i/we would say/argue/guess/prefer | i/we find that/this/it | my/our favourite/favorite/guess/impression | i/we would recommend/suggest/advise | i/we recommend/suggest/advise | you may/might/could * want/try/ask | you could * try | i understand * frustrating/annoying/worry/concern | i/we wish you | let me look/check/see | i'm/we're checking/connecting/handing/forwarding | i'm looking into | i'll/we'll connect/forward/transfer/check/look | see you | you can find more | we/i can't wait | how lovely | welcome to | congratulations | safe travels | best of luck | get well | gute besserung | bon rétablissement | que te mejores | que se mejore | buona guarigione | your feedback | i can * if you * like/want | keep/bear in mind that this | hi | hello | hey | dear | good morning/afternoon/evening | thank | thanks | many thanks | you're welcome | you're very welcome | you are welcome | sorry about/to/for | i'm/we're * sorry | i/we are * sorry | i/we apologise/apologize |
apologies | my apologies | i/we hope | hope this/that/it/you | let me/us know | feel free | please * let me/us know | please feel free | please don't hesitate | please do not hesitate | don't/do hesitate | just let/shout/say/ask/reply | kind/best/warm regards | with kind/best/warm | please accept | best wishes | regards $ | best $ |
yours sincerely/faithfully/truly | sincerely | cheers | happy to | glad to | i'm/we're * glad/happy/here | i'd/we'd * be * glad/happy | i/we would * be glad/happy | would you like | do you want | shall i | should i | if you'd like $ | if you'd like i/me/us/more/further/help | if you would like i/me/us/more/further/help | if you want me | if you have/need * more/other/further/anything/questions |
if anything | if there's anything | great/good question | of course | no problem | no worries | enjoy $ | enjoy your/the | good luck | have a great/good/nice/lovely/wonderful/safe/fantastic | take care | all the best | looking forward | we/i look forward | i appreciate | is there anything | does that | can i help | how can/may i/we | what can i/we | could/can/would you * tell/share/send/give/confirm/clarify/provide/specify | may i ask | subject | is that

about: here is | here are | here's | below is | below are | in short | in summary | in brief | as requested | i've drafted/written/put/kept/listed/summarized/summarised/added/passed/based/organised/organized/grouped | i have drafted/written/put/kept/listed/summarized/summarised/added/based/organised/organized/grouped

absent: do/does/did not say/mention/specify/state/indicate | don't/doesn't/didn't say/mention/specify/state/indicate | do/does/did not tell me/us | don't/doesn't/didn't explain/address/discuss/describe/clarify/elaborate | do/does/did not explain/address/discuss/describe/clarify/elaborate | don't/doesn't/didn't go into | do/does/did not go into | do/does/did not * provide/contain/give/include/offer/have * information/details/mention/specifics | don't/doesn't/didn't * provide/contain/give/include/offer/have * information/details/mention/specifics |
passages/passage/documents/document/context/text/texts/article/articles/excerpt/excerpts/sources/results/material don't/doesn't/didn't provide/contain/give/include/cover/list/show/answer/offer | passages/passage/documents/document/context/text/texts/article/articles/excerpt/excerpts/sources/results/material do/does/did not provide/contain/give/include/cover/list/show/answer/offer | isn't/aren't/wasn't/weren't addressed/discussed/explained/described | is/are/was/were/it's/that's not addressed/discussed/explained/described | wasn't/weren't/am/was/i'm not able to find/determine/answer | not able to find/determine/answer | wasn't able to find/determine/answer | not possible to determine/answer/say/tell | no * information * provided/given/available | don't/doesn't/didn't tell me/us | is/are/was/were/it's/that's not explicitly/directly mentioned/specified/stated | is/are/was/were/it's/that's not mentioned/specified/stated | isn't/aren't/wasn't/weren't mentioned/specified/stated |
is/are/was/were/it's/that's not given/listed/included/provided/named/covered/found in the/these/your/any * source/sources/document/documents/passage/passages/context/note/notes/file/files/extract/text/material/materials/excerpt/excerpts |
isn't/aren't/wasn't/weren't given/listed/included/provided/named/covered/found in the/these/your/any * source/sources/document/documents/passage/passages/context/note/notes/file/files/extract/text/material/materials/excerpt/excerpts |
no information/mention on/about/of/is/for | i could not find | i couldn't find | i/we cannot/can't tell/say/find/see/answer/determine/confirm | i/we can not tell/say/find/see/answer | unable to find/determine/answer/confirm/provide | i don't have/know/see/find | i do not have/know/see/find | i didn't find | i did not find |
not enough information | insufficient information | say/says nothing | nothing in/about the | cannot/can't be determined/answered/inferred | i have no information/data | no information/details is/are/was/were | isn't/aren't/wasn't/weren't listed/given/specified $ | is/are/was/were/it's/that's not listed/given/specified $ | i couldn't read/open/access/load/reach | i could not read/open/access/load/reach | information/passages/documents/notes/sources i have only | information/passages/documents/notes/sources i have don't | information/passages/documents/notes/sources i have do not

aside: if you ask me | legal/medical/financial/investment/tax/professional/personal advice | generated automatically | automatically generated | may contain errors | ai assistant/model/language | best person to | happy/glad/able to help/assist/answer/look/check/explain |
please contact/consult/ask/call/seek/talk/speak/visit/check/refer/discuss/reach/see/email/write/wait/reply/hold | please try again | more information | further questions | hope this/that helps | based solely/only on | look/looking into * for you | in doubt ask | this/it on/over to our/the/a/my team/colleague/colleagues |
talk/speak/talking/speaking to your/a | check/checking with your/the/a | get/getting in touch | reach/reaching out to | contact/contacting your/the/our/a | consult/consulting your/the/a | ask/asking your/the/a/at | medical professional | seek medical | * official updates

silent: no idea | idk | null $ | not found | n a $ | not mentioned/specified/stated/provided/available/given/listed $ | unknown $ | i'm not sure | i am not sure | unclear $`
	german = `
opener: sehr/aber/immer gern/gerne | aber natürlich/klar | mit vergnügen | nein | ja | leider nicht | leider nein | soweit ich weiß/sehe | tut mir leid | doch | gerne | gern | natürlich | selbstverständlich | klar | sicher | genau | richtig | leider | kurz gesagt | zusammengefasst | zusammenfassend | gute frage | hinweis | jein | stimmt | guten tag | guten morgen | vielen dank | danke

greeting: hallo | liebe/lieber | hi | guten tag | sehr geehrte/geehrter

intro: laut | gemäß | nach | auf basis | basierend auf | entsprechend

courtesy: hallo | meiner/unserer meinung/ansicht nach | meines erachtens | persönlich | ich/wir finde/finden/glaube/glauben/denke/denken | guten tag/morgen/abend | sehr geehrte/geehrter | liebe/lieber | mit freundlichen | viele grüße | beste grüße | liebe grüße | herzliche grüße | freundliche grüße | vielen dank | danke | gern/gerne | ich hoffe | wir hoffen | melden sie sich | melde dich | zögern sie nicht |
bei fragen | bei weiteren fragen | falls sie/du * fragen/hilfe/noch/weitere | wenn sie * fragen | wenn du * fragen | haben sie noch | es tut * leid | tut mir leid | entschuldigung | ich freue mich | wir freuen uns | viel erfolg | viel spaß | alles gute | betreff | soll ich | kann ich ihnen/dir | wie/womit kann ich | können/könnten sie mir/uns | kannst/könntest du mir/uns | möchten sie | lassen sie mich | lass mich | ich/wir wünsche/wünschen | einen schönen/angenehmen/guten/tollen/moment | schönen/schönes tag/abend/wochenende | hab/haben * noch einen/eine | bis bald/dann/später | ich/wir habe/haben ihr/ihre/ihren/dein/deine/deinen/das/es * * weitergeleitet/weitergegeben | ich/wir leite/leiten * * weiter | ich/wir verbinde/verbinden sie/dich/euch | ich/wir kümmere/kümmern mich/uns | bitte prüfen/überprüfen/versuchen/schauen/warten sie | bitte prüfe/überprüfe/versuche/versuch/schau/warte | unser/unsere/ein/eine * wird/werden sich/uns * * bei ihnen/dir/euch melden | schreiben/schicken/senden/nennen sie mir/uns | schreib/schreibe/schick/schicke/sende/nenne mir/uns | sag/sagen * bescheid | geben sie * bescheid | bitte entschuldigen sie | das tut mir leid | lassen sie es

about: hier ist | hier sind | hier die/der/das | nachfolgend | anbei | im folgenden | ich habe * zusammengefasst/aufgelistet/zusammengestellt

aside: meldet/melden sich/uns * * bei ihnen/dir/euch | sich/uns * * bei ihnen/dir/euch melden | bitte fragen/schreiben/antworten sie | bitte frag/frage/schreib/schreibe/antworte | prüfen/versuchen/schauen sie * bitte | wenden sie sich | wende dich | fragen sie * bitte/dazu/bei/beim/ihren/ihre | rechtsberatung | medizinische beratung | anlageberatung | steuerberatung | zur verfügung | automatisch erstellt | rufen sie * an | kundendienst | kontaktieren sie | hilft ihnen/man/dir | falls etwas fehlt | weitere fragen | als ki

silent: keine ahnung | unbekannt | nicht bekannt $ | nicht gefunden $

absent: steht * nicht | steht * nichts | steht nirgends | keine angabe/angaben/information/informationen/aussage/auskunft/hinweise | nicht angegeben/erwähnt/genannt/entnehmen/hervor | sagt/sagen * nichts | sagt/sagen * nicht | nichts darüber/dazu | ich weiß * nicht | ich kann * nicht * sagen/finden/beantworten/beurteilen | kann ich * nicht * sagen/finden/beantworten/beurteilen/einsehen | steht * leider nichts | nicht * einsehen | nicht beantworten | weiß ich nicht | nennt/nennen * nicht`
	french = `
opener: non | oui | malheureusement pas | pas de problème | à ma connaissance | si | bien sûr | certainement | exactement | en effet | malheureusement | en résumé | en bref | bonne question | d'accord | parfait | bonjour | bonsoir | merci

greeting: bonjour | bonsoir | cher/chère | chers/chères | madame | monsieur | salut

intro: selon | d'après | d'apres | conformément | sur la base

courtesy: bonjour | à mon/notre avis | personnellement | je pense/crois/trouve que | bonsoir | madame | monsieur | cher/chère | chers | bien cordialement | cordialement | merci | n'hésitez pas | bien à vous | je vous remercie | nous vous remercions | je vous prie | veuillez agréer | je reste à | nous restons à | à votre disposition | si vous avez * questions | si vous souhaitez | souhaitez vous | voulez vous | j'espère | nous espérons | désolé/désolée | je suis désolé/désolée | je m'excuse | je suis navré/navrée | dites moi | toutes mes excuses | comment puis je | pouvez/pourriez vous me/nous | avec plaisir | bonne journée | bonne chance | objet | salutations

about: voici | voilà | ci dessous | j'ai rédigé/résumé/listé

aside: conseil juridique/médical/financier | à votre disposition | demandez/demander conseil | demander un devis | contactez/contacter/consultez/consulter | adressez vous | rapprochez vous | faites appel | assistant virtuel | généré automatiquement | réponse courte

silent: aucune idée | inconnu | non précisé/mentionné/indiqué/trouvé $

absent: n'est * pas précisé/précisée/mentionné/mentionnée/indiqué/indiquée | ne sont * pas précisés/précisées/mentionnés/mentionnées/indiqués/indiquées | ne précise/mentionne/dit/indique/précisent/mentionnent/disent/indiquent pas/rien | n'indique/n'indiquent pas/rien | aucune information/mention/précision/indication | ne permet/permettent pas de | je n'ai pas accès | je ne sais pas | je ne trouve pas | je ne peux pas répondre/dire | je n'ai * pas trouvé | je n'ai pas * information/d'information/d'informations`
	spanish = `
opener: no | sí | lamentablemente no | que yo sepa | claro | claro que sí | por supuesto | desde luego | exacto | correcto | lamentablemente | desafortunadamente | en resumen | en breve | buena pregunta | de acuerdo | hola | gracias | buenos días | buenas tardes

greeting: hola | estimado/estimada | estimados/estimadas | querido/querida | buenos días | buenas tardes

intro: según | de acuerdo con | conforme a | con base en

courtesy: hola | en mi/nuestra opinión | personalmente | creo/pienso/opino que | me parece que | estimado/estimada | estimados | gracias | muchas gracias | un saludo | saludos | atentamente | un cordial saludo | espero que | esperamos que | no dude/dudes en | si tiene/tienes * preguntas/dudas/duda/pregunta | si necesita/necesitas | si quiere/quieres que | quedo a | quedamos a | lo siento | lo lamento | disculpe/disculpa | perdón | con gusto | encantado/encantada | buena suerte | que tenga/tengas | asunto | buenos días | buenas tardes | en qué puedo | cómo puedo | puede/puedes/podría/podrías decirme/decirnos/indicarme/enviarme | quiere/quieres que | le/te gustaría | desea que

about: aquí está/están/tiene/tienes | a continuación | he redactado/resumido/listado

aside: asesoramiento legal/médico/financiero | póngase/ponerse/ponga en contacto | consulte/consulta/consultar/consultarlo con | consulte/consulta las/la/el/los/a/su/tu | no sustituye | pregunte/preguntar/preguntarlo en/a | asistente de/virtual | no dude/dudes en | si lo desea

silent: no lo sé | no sé $ | ni idea | desconocido | no encontrado/especificado/disponible $

absent: no * menciona/mencionan/indica/indican/dice/dicen/especifica/especifican/precisa/precisan | no está * indicado/mencionado/especificado | no hay * información/mención/datos | no puedo * decir/responder/confirmar/determinar/encontrar | no encuentro | no encontré | no he encontrado | no tengo * información/datos/acceso | no dispongo de | ninguna información/mención`
	chinese = `
opener: 好的 | 当然 | 是的 | 没问题 | 总之 | 简而言之 | 很遗憾 | 遗憾 | 不是 | 您好 | 你好

courtesy: 感谢 | 我认为 | 我觉得 | 在我看来 | 个人认为 | 谢谢 | 非常感谢 | 希望对 | 希望这 | 希望以上 | 如果您还有 | 如果你还有 | 如有其他 | 如有任何 | 如有疑问 | 如有问题 | 如需帮助 | 如需更多 | 欢迎 | 祝您 | 祝你 | 您好 | 你好 | 尊敬 | 亲爱 | 此致 | 抱歉 | 很抱歉 | 对不起 | 不客气 | 很高兴 | 请随时 | 请告诉我 | 需要我 | 请问您 | 有什么可以

about: 以下是 | 以下为 | 下面是

aside: 不构成 | 仅供参考 | 请咨询 | 请联系 | 建议您 | 官方公告 | 告诉我 | 随时提问 | 敬请谅解 | 人工智能 | 所给资料 | 久等了

absent: 无法回答 | 无法确认 | 无法确定 | 没有提到 | 没有提及 | 未提到 | 未提及 | 没有说明 | 未说明 | 没有相关 | 没有找到 | 未找到 | 找不到 | 没有给出 | 未给出 | 没有信息 | 无法得知 | 无法判断 | 我不知道 | 我不清楚`
)
