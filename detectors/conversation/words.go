package conversation

import "confab/internal/text"

// Word lists of English, German, French, Spanish and Italian.
//
//nolint:gochecknoglobals,misspell // read-only tables, not only English
var (
	// supposes makes a statement depend on something, or compares it.
	supposes = text.HashSet(`if unless would could might suppose assuming instead otherwise except maybe perhaps probably usually than wenn falls würde würden könnte könnten außer
statt sonst vielleicht sofern wäre als serait seraient pourrait sauf sinon peut-être plutôt sería serían podría salvo excepto quizás quizá supone
sarebbe sarebbero potrebbe tranne forse invece altrimenti`)

	// moves says that a value may be another one by now, or was once.
	moves = text.HashSet(`next nächste nächster nächstes prochain prochaine próximo próxima siguiente prossimo prossima now currently yet balance load usage temperature weather status level new updated changed used spent ahead queue previously formerly later owe
outstanding pending progress stock available today yesterday jetzt inzwischen aktuell derzeit kontostand saldo neu neue neuer neuen belegt verbraucht
verfügbar heute gestern bisher später maintenant actuellement solde désormais nouveau nouvelle disponible aujourd'hui hier ahora actualmente ya nuevo
nueva disponibles hoy ayer adesso ora attualmente già nuovo nuova disponibile disponibili oggi ieri already ancora aún bereits déjà encore left noch
queda quedan remain remaining remains rest resta restano restant restante restantes restants reste restent restliche rimane rimanenti rimangono
still todavía verbleiben verbleibend verbleibende übrig`)

	// sums says that a value is made of others.
	sums = text.HashSet(`total together altogether sum both all each difference average extra additional more less minus plus insgesamt zusammen gesamt beide summe differenz
durchschnitt zusätzlich mehr weniger ensemble somme tous toutes deux moyenne supplémentaire juntos ambos suma media adicional totale insieme entrambi
somma`)

	// changes in a question ask for another value.
	changes = text.HashSet(`after afterwards danach après ensuite dopo poi después luego without ohne sans sin senza change changed switch move moved cancel instead other others another check recheck refresh measure repeat different later earlier upgrade downgrade
reduce increase lower raise update updated add extend renew new now months weeks since yesterday discount ändern andere anderen anderer anderes später
früher stornieren verlängern verschieben wechseln erhöhen senken umbuchen rabatt stattdessen lieber changer autre plutôt finalement modifier annuler
reporter avancer augmenter réduire prolonger passer réduction cambiar cambio otro otra mejor prefiero anular mover aumentar reducir descuento invece
cambiare altro altra piuttosto preferisco spostare annullare aumentare ridurre sconto`)

	// ellipses begin a question about another subject.
	ellipses = text.HashSet(`and but about und aber et mais y e ed ma pero`)

	// corrects says that the answer takes something back.
	corrects = text.HashSet(`sorry apologize apologise apologies correction corrected mistake mistaken wrong incorrect incorrectly actually misspoke error earlier entschuldigung
entschuldigen korrektur korrigiere fehler falsch versehentlich tatsächlich irrtum richtigstellung désolé désolée pardon rectification erreur excusez
excuse trompé trompée perdón perdone disculpe disculpa corrijo corrección equivoqué equivocado scusi scusa correggo correzione errore sbagliato
sbagliata rettifico`)

	// joins begin a clause that stands alone.
	joins = text.HashSet(`because since as so but however although though while whereas and which weil da denn aber jedoch obwohl während und sodass car parce puisque mais
cependant alors tandis et porque pues pero aunque mientras así y perché poiché ma però mentre quindi e`)

	reasons = text.HashSet(`because since as weil da denn car parce puisque porque pues perché poiché`)

	// follows begin a statement that depends on what the user said.
	follows = text.HashSet(`then dann alors entonces allora`)

	// predicates are what a decision is about.
	predicates = text.HashSet(`count counts apply applies deckt zählt couvre couvrent rembourse accepte cubre cubren acepta copre coprono accetta vale included include includes eligible covered covers cover allowed allow allows permitted supported support supports refundable compatible required
necessary needed need mandatory valid accepted accept accepts possible entitled deductible exchangeable free can cannot can't inbegriffen enthalten
erlaubt gestattet möglich zulässig erforderlich nötig notwendig versichert abgedeckt unterstützt kompatibel berechtigt gültig erstattet
erstattungsfähig stornierbar umtauschbar kostenlos inclus incluse compris comprise couvert couverte remboursé remboursée remboursable autorisé
autorisée admis admise permis nécessaire obligatoire valable valide échangeable éligible gratuit gratuite incluido incluida cubierto cubierta
permitido permitida admite posible necesario necesaria necesita obligatorio válido válida reembolsable gratuito gratuita gratis incluso inclusa
coperto coperta permesso permessa ammesso ammessa ammessi possibile compatibile necessario necessaria obbligatorio valido valida rimborsabile
rimborsato`)

	// limitsOf makes a decision one about a part.
	limitsOf = text.HashSet(`only without unless before after until except just sure problem nur ohne bevor nach bis außer seulement uniquement sans avant après sauf solo sólo
solamente sin antes después salvo soltanto senza prima dopo tranne`)

	// generic are words of statements that say nothing of their subject.
	generic = text.HashSet(`contact ask call talk speak wenden anrufen contactez hable contatti need needs take takes lasts see get come comes make have has give gives around about roughly approximately unfortunately happily etwa circa ungefähr
leider dauert braucht environ malheureusement heureusement dure faut aproximadamente unos lamentablemente desgraciadamente tarda dura purtroppo serve
dann allora entonces alors keep mind remember remind reminder note please sure confirm confirmed fine tell say know good great happy course short answer cost costs pay pays
price charge charged get gets thanks welcome worry problem afraid careful aware correct right really again perfect ok okay exactly denken beachten
daran achtung erinnern merken gut gerne ordnung klar kostet kosten zahlen preis danke sorge keine rappel rappelez notez attention inquiétude
d'inquiétude problème coûte prix payer merci sûr faites recuerde tenga cuenta atención problema cuesta precio pagar gracias claro nota ricordi
attenzione problemi nessun costa prezzo pagare grazie certo`)

	negates = text.HashSet(`non`)
	// german are words that no other language of the lists has.
	german = text.HashSet(`der das und ist nicht ich wie wann bei kann mit gibt wir ihr ihre ihren für wird zum zur kein keine kostet auch dann muss dürfen`)

	titles = text.HashSet(`mr mrs ms dr prof frau herr mme monsieur madame m señor señora sr sra don doña signor signora dott dottor dottoressa docteur doctor`)
)
