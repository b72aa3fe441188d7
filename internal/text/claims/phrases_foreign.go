package claims

// Phrases of other languages. An entry of absent counts only in a sentence with a word of document: a text, a manual, the
// speaker. Capitals and accents do not matter. Chinese phrases match at pairs of characters.
//
//nolint:misspell // not English
const (
	german = `
opener: gerne | gern | natürlich | selbstverständlich | sicher | ja | klar | leider | bedauerlicherweise | zusammenfassend lässt sich sagen dass |
zusammenfassend | zusammengefasst | kurz gesagt | insgesamt | grundsätzlich gilt | bitte beachten sie dass | bitte beachte dass |
bitte denken sie daran dass | beachten sie bitte dass | gute frage | zusammenfassung

excuse: es tut mir leid | tut mir leid | das tut mir leid | entschuldigung | entschuldigen sie | verzeihung | als ki | als künstliche intelligenz |
als sprachmodell | ich bin eine ki | ich bin nur eine ki

polite: lassen sie mich | lass mich | falls du noch | falls sie noch | wir bitten die unannehmlichkeiten | wir bitten um entschuldigung |
wir bitten um ihr verständnis | vielen dank | herzlichen dank | danke für | danke | ich hoffe | wir hoffen | hoffentlich | melden sie sich | meldet euch | melde dich |
haben sie noch | hast du noch | bei weiteren fragen | bei fragen | falls sie fragen | falls sie weitere | falls du fragen | wenn sie fragen |
wenn sie weitere | wenn du weitere | sollten sie weitere | sollten sie noch | sollten sie fragen | zögern sie nicht | zögere nicht | gerne helfe |
ich helfe ihnen | ich helfe dir | ich freue mich | wir freuen uns | es freut mich | mit freundlichen grüßen | mit besten grüßen | viele grüße |
beste grüße | liebe grüße | herzliche grüße | freundliche grüße | hallo | guten tag | guten morgen | guten abend | sehr geehrte | sehr geehrter |
viel erfolg | viel spaß | viel vergnügen | viel glück | viel freude | gute besserung | gute reise | guten appetit | alles gute |
ich wünsche | wir wünschen | schönen tag | einen schönen | bitte entschuldigen sie | bitte entschuldige | kann ich ihnen | kann ich dir |
soll ich | lassen sie es sich | lass es mich wissen | lassen sie es mich wissen | geben sie mir bescheid | sag mir bescheid | wie kann ich |
ich stehe ihnen | wir stehen ihnen | auf wiedersehen | willkommen | herzlich willkommen | ich kann ihnen gerne | ich kann dir gerne |
ich habe mich auf die angaben | ich habe mich kurz

silent: ich kann nicht | kann ich leider | ich kann leider nicht | ich weiß nicht | ich weiß es nicht | dazu habe ich keine | dazu liegen mir keine | mir liegen keine | ich habe keine angaben |
ich habe keine informationen | ich habe keinen zugriff | das kann ich nicht | das weiß ich nicht

absent: keine angaben | keine angabe | keine information | keine informationen | keine aussage | keine aussagen | keine hinweise |
keine auskunft | keinen hinweis | keine regelung | nicht erwähnt | nicht hervor | nicht entnehmen | sagt nichts | sagen nichts | steht nichts | stehen nichts |
enthält nichts | nichts darüber | nichts dazu | nicht angegeben | nicht genannt | nicht beschrieben | nicht enthalten | nicht beantworten |
nicht finden | nichts finden | nicht einsehen | geht nicht ein | nicht beantwortet | nicht behandelt | nicht sagen | leider nichts | findet sich nichts | finden sich keine | nichts zu finden | steht nirgends

document: unterlagen | unterlage | dokument | dokumente | dokumenten | text | texte | texten | textes | artikel | artikels | quelle | quellen | handbuch |
richtlinie | richtlinien | beipackzettel | protokoll | kontext | passage | passagen | auszug | auszügen | abschnitt | abschnitten |
vertrag | mietvertrag | anleitung | bedienungsanleitung | merkblatt | broschüre | bericht | datenblatt | material | materialien | regelwerk | webseite |
studie | studien | umfrage | erhebung | rezept | rezepts | anzeige | inserat | ticket | befund | gutachten | hausordnung | fahrplan | katalog | datensatz |
daten | tabelle | liste | rechnung | police | bedingungen | nachricht | mail | transkript | notiz | notizen | datei | meldung | pressemitteilung |
beschreibung | kapitel | berichts | protokolls | ausschreibung | ich | mir | meine | meinen | daraus | darin | vorliegenden | bereitgestellten

aside: bitte konsultieren | kann ich ihnen | kann ich dir | wenden sie sich | wende dich | fragen sie dazu | fragen sie bitte | fragen sie am besten | fragen sie beim | fragen sie bei | fragen sie ihre |
fragen sie ihren | am besten fragen sie | frag am besten | kontaktieren sie | nehmen sie kontakt | setzen sie sich | hilft ihnen gerne weiter |
hilft man ihnen | helfen ihnen gerne | hilft dir gerne | ich empfehle ihnen sich | empfehle ich ihnen sich |
zur verfügung stehen | stehe ich ihnen | stehen wir ihnen | keine rechtsberatung | keine medizinische beratung | keine anlageberatung |
keine steuerberatung | ersetzt keine | ersetzt nicht den | automatisch erstellt | ich hoffe das hilft | für ihre geduld | für ihr verständnis |
für ihre anfrage | rufen sie bitte den kundendienst | weitere fragen | auf den neuesten stand | offiziellen quellen | offizielle webseite |
falls etwas fehlt | hilft ihnen ein

announcer: hier | hier ist | hier sind | hier die | nachfolgend | im folgenden | folgende | die wichtigsten | gehen sie | so gehen sie | anbei`

	spanish = `
opener: por supuesto | claro | claro que sí | desde luego | en resumen | resumen | en conclusión | en general | lamentablemente |
desafortunadamente | desgraciadamente | por desgracia | tenga en cuenta que | ten en cuenta que | cabe señalar que | es importante señalar que |
recuerde que | recuerda que | buena pregunta | nos complace informarle de que

excuse: lo siento | lo siento mucho | lo lamento | perdón | disculpe | disculpa | mis disculpas | como asistente de ia | como ia |
como modelo de lenguaje | como inteligencia artificial | soy una ia

polite: gracias | muchas gracias | espero que | espero haberle | espero haberte | esperamos que | si tiene alguna | si tiene más | si tiene otra |
si tienes alguna | si tienes más | si tienes otra | si necesita | si necesitas | si desea más | si quieres más | no dude en | no dudes en |
no duden en | quedo atento | quedo atenta | quedo pendiente | si lo desea | si lo deseas | si quiere puedo | si quieres puedo | quedo a su | quedamos a su | quedo a tu | estoy a su | estamos a su | estaré encantado | estaré encantada | con mucho gusto |
hola | buenos días | buenas tardes | buenas noches | estimado | estimada | estimados | un cordial saludo | un saludo |
saludos | atentamente | cordialmente | buen viaje | buena suerte | mucha suerte | que se mejore | que te mejores | que tenga | que tengas |
buen provecho | disfrute | disfruta | lamento las molestias | lamentamos las molestias | lamento mucho | sentimos las molestias |
quiere que | quieres que | puedo ayudarle | puedo ayudarte | en qué puedo | le deseo | te deseo | hasta pronto | bienvenido | bienvenida |
avíseme | avísame | hágame saber | hazme saber | me alegra | nos alegra | aquí me tiene | si falta algo | si el problema continúa no dude

silent: no puedo | no me es posible | no lo sé | no sé | no tengo información | no dispongo de información | no tengo acceso | no puedo decir | no he encontrado información |
no he podido encontrar | no puedo responder | no tengo datos | no estoy seguro

absent: no es posible responder | no es posible determinar | no es posible saber | no se puede responder | no se puede determinar | no se puede saber |
no menciona | no mencionan | no se menciona | no se mencionan | no indica | no indican | no se indica | no se indican | no especifica |
no especifican | no se especifica | no dice nada | no dicen nada | no dice | no dicen | no precisa | no contiene | no contienen | no incluye información |
no hay información | no aparece | no aparecen | no figura | no figuran | no aborda | no explica | no permite saber | no ofrece | no he encontrado |
no encuentro | no puedo determinar | no consta

document: documento | documentos | texto | textos | artículo | artículos | noticia | información | fuente | fuentes | contexto | manual | folleto | prospecto |
política | normativa | reglamento | pasaje | pasajes | extracto | extractos | contrato | acta | informe | guía | página | ficha | condiciones | receta | estudio | encuesta | anuncio | memoria | boletín | catálogo | correo | mensaje | tabla | lista | datos |
factura | póliza | nota | notas | comunicado | descripción | capítulo | presentación | registro | archivo | ticket |
no he encontrado | no encuentro

aside: que consulte la | que consultes la | que consulte a | que consulte con | póngase en contacto | ponte en contacto | se ponga en contacto | te pongas en contacto | le recomiendo contactar | le recomiendo consultar | te recomiendo contactar |
te recomiendo consultar | le sugiero que consulte | le aconsejo que consulte | le aconsejo consultar | consulte con | consulta con | consulte las fuentes | consulta las fuentes | consultarlo con |
consulte a | puede preguntarlo | puede consultarlo | puedes consultarlo | puede preguntar | contacte con | contacta con | diríjase a | acuda a |
no constituye asesoramiento | no es asesoramiento | no sustituye el consejo | no sustituye la opinión | generado automáticamente |
le resulte útil | te resulte útil | ponerse en contacto con nosotros | alguna otra pregunta | para más información consulta |
para más información consulte | quede a su

announcer: aquí tiene | aquí tienes | aquí está | aquí están | a continuación | estos son | estas son | siga estos | sigue estos | puntos clave |
os resumo | le resumo | los datos`

	french = `
opener: bien sûr | certainement | absolument | oui | d'accord | en résumé | en conclusion | pour résumer | en bref | en général | malheureusement |
hélas | veuillez noter que | notez que | il est important de noter que | il convient de noter que | sachez que | rappelons que | en revanche |
bonne question | nous avons le plaisir de vous informer que | résumé

excuse: je suis désolé | je suis désolée | désolé | désolée | je suis navré | je suis navrée | je regrette | je m'excuse | toutes mes excuses |
en tant qu'assistant | en tant qu'ia | en tant qu'intelligence artificielle | en tant que modèle de langage | je suis une ia

polite: merci | si vous le souhaitez | si tu le souhaites | nous vous prions de | nous nous excusons | j'espère | nous espérons | en espérant | n'hésitez pas | n'hésite pas | si vous avez d'autres | si vous avez besoin |
si vous avez des questions | si vous avez la moindre | si tu as d'autres | si vous souhaitez en savoir | bonjour | bonsoir | salut |
 madame monsieur | cordialement | bien cordialement | bien à vous | sincères salutations | je vous prie d'agréer | veuillez agréer |
je vous prie de | bonne journée | bonne soirée | bonne lecture | bonne route | bonne chance | bon voyage | bon appétit | bon courage |
bon rétablissement | bonne visite | profitez bien | je vous souhaite | nous vous souhaitons | je reste à | nous restons à | je suis à votre |
nous sommes à votre | je serais ravi | je serai ravi | avec plaisir | souhaitez-vous | voulez-vous | puis-je vous | comment puis-je |
faites-moi savoir | dites-moi | à bientôt | au revoir | bienvenue | nous sommes ravis | je suis ravi | veuillez nous excuser | félicitations |
je vous informe par la présente

silent: je ne peux pas | je ne peux malheureusement | je ne suis pas en mesure | je ne sais pas | je n'ai pas d'information | je n'ai pas d'informations | je n'ai pas accès | je n'ai trouvé aucune | je n'ai pas trouvé |
je ne trouve pas | je ne peux pas répondre | je ne peux pas dire | je ne dispose pas | je ne suis pas sûr

absent: ne contiennent pas | pas possible de répondre | pas possible de dire | pas possible de déterminer | impossible de répondre |
impossible de dire | impossible de déterminer | ne mentionne pas | ne mentionnent pas | n'est pas mentionné | n'est pas mentionnée | ne précise pas | ne précisent pas | n'est pas précisé |
ne dit rien | ne disent rien | ne dit pas | ne disent pas | n'indique pas | n'indiquent pas | n'est pas indiqué | ne contient aucune |
ne contiennent aucune | ne contient pas | ne fournit pas | ne fournissent pas | aucune information | ne permet pas de | ne permettent pas de |
n'évoque pas | n'aborde pas | ne parle pas | n'en parle pas | ne figure pas | ne figurent pas | ne donne pas | ne donne aucune | ne traite pas

document: document | documents | texte | textes | article | source | sources | contexte | notice | règlement | extrait | extraits | passage | passages |
étude | enquête | recette | annonce | courriel | message | tableau | liste | données | facture | note | notes | communiqué | description | chapitre |
présentation | fichier | ticket | l'article | l'extrait | l'étude | l'enquête | l'annonce | l'énoncé | l'email | d'après |
contrat | bail | guide | manuel | fiche | rapport | page | compte | je | j'ai | politique | brochure | information | informations

aside: contacter directement | prenez contact | veuillez contacter | contactez | rapprochez-vous | adressez-vous | je vous invite à contacter |
je vous conseille de contacter | je vous conseille de consulter | je vous recommande de contacter | je vous recommande de consulter |
je vous suggère de contacter | je vous suggère de consulter | de vous adresser à | demandez conseil | demander conseil | demander un devis | consultez un |
consultez votre | consultez les sites officiels | consultez le site | faites appel à un professionnel | pas un conseil juridique |
pas un avis médical | pas un conseil médical | pas un conseil financier | pas un conseil en investissement | ne remplace pas l'avis |
ne remplace pas un | généré automatiquement | votre disposition pour | cela vous aidera | d'autres questions | gardé une réponse courte |
en savoir plus

announcer: voici | voilà | ci-dessous | ci-joint | les points clés | points clés | procédez ainsi | suivez ces étapes | les informations`

	chinese = `
opener: 好的 | 当然 | 当然可以 | 没问题 | 总的来说 | 总之 | 综上所述 | 请注意 | 需要注意 | 很遗憾 | 遗憾 | 一般来说 | 简而言之

excuse: 抱歉 | 很抱歉 | 非常抱歉 | 对不起 | 不好意思 | 作为人工智能 | 作为一个人工智能 | 作为语言模型 | 作为一个语言模型 | 作为大语言模型 | 我是人工智能

polite: 感谢 | 谢谢 | 非常感谢 | 希望对 | 希望这 | 希望以上 | 希望能帮 | 希望您 | 如果您还有 | 如果你还有 | 如有其他 | 如有任何 | 如有疑问 | 如有问题 | 如有遗漏 | 如您还有 | 如果还有 |
如果您有 | 如果你有 | 如果您想了解 | 如果您需要 | 如果你需要 | 如需帮助 | 如需更多 | 如需进一步 | 如需了解 | 欢迎 | 祝您 | 祝你 | 祝好 | 您好 | 你好 | 大家好 | 尊敬 | 亲爱 | 此致 | 敬礼 |
让您久等 | 请稍等 | 请问 | 需要我 | 不客气 | 很高兴 | 请随时 | 期待 | 再见 | 请告诉我 | 各位同事 | 给您带来

silent: 无法回答 | 无法提供 | 我不知道 | 我不清楚 | 我无法 | 我没有 | 我不能 | 无法确定 | 不太清楚

absent: 无法回答 | 无法确认 | 无法确定 | 没有提到 | 没有提及 | 未提到 | 未提及 | 没有说明 | 未说明 | 没有相关 | 没有包含 | 未包含 | 没有关于 | 没有找到 | 未找到 | 找不到 |
没有给出 | 未给出 | 没有信息 | 没有列出 | 没有涉及 | 未涉及 | 没有规定 | 没有记载 | 没有描述 | 无法得知 | 无法判断

document: 年报 | 研究 | 报道 | 食谱 | 菜谱 | 通知 | 公告 | 网页 | 页面 | 表格 | 数据 | 邮件 | 协议 | 条款 | 指南 | 记录 | 清单 | 简介 | 资料 | 文中 | 文件 | 文档 | 文章 | 手册 | 说明书 | 新闻 | 上下文 | 合同 | 信息 | 材料 | 报告 | 段落 | 原文 | 纪要 | 来源 | 我在

aside: 建议您直接联系 | 建议您联系 | 建议您咨询 | 建议您向 | 建议您查阅 | 建议直接联系 | 建议咨询 | 建议联系 | 请咨询 | 请联系 | 请直接联系 | 请以官方 | 以官方公告 | 欢迎随时 | 随时提问 | 随时告诉 | 随时联系 | 仅供参考 |
不构成法律 | 不构成投资 | 不构成医疗 | 对您有帮助 | 对你有帮助 | 对您有所帮助 | 自动生成 | 祝您 | 耐心等待 | 感谢您 | 带来不便 | 依据所给资料 |
咨询客服 | 咨询医生 | 其他问题

announcer: 以下是 | 以下为 | 如下 | 主要数据 | 下面是 | 您可以按照以下 | 按照以下 | 现将`
)
