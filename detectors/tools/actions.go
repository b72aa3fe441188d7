package tools

import (
	"slices"
	"strings"

	"confab/internal/text"
)

// language is that of a form of a verb.
type language uint8

const (
	english language = iota
	german
	french
	spanish
	italian
	languages
)

// form is a participle of an action.
type form struct {
	family   int16
	language language
}

// family is a kind of action: what names of tools and results have that support it.
type family struct {
	support []string
	done    []string // English participles, which results have
	any     bool     // any tool that changes something supports it
	own     bool     // read only where the assistant says that it did it
	lookup  bool     // tools that only look something up support it, too
}

// actionTable has a line for each kind of action: its participles in English, German, French (masculine), Spanish and Italian
// (without the last letter), and parts of the names of the tools that do it. * stands for any tool that changes something, + also
// for words that mostly describe things, and count only where the assistant says that it did it.
const actionTable = `
booked rebooked reserved|gebucht umgebucht reserviert|réservé|reservad|prenotat riservat|book reserv appoint rent hold order ticket schedul
cancelled canceled stopped revoked|storniert abgesagt gekündigt gestoppt|annulé résilié|cancelad anulad|annullat disdett|cancel delet remov stop revok terminat declin void clos unsub
refunded reimbursed|erstattet zurücküberwiesen zurückerstattet|remboursé|reembolsad|rimborsat|refund reimburs credit
sent mailed emailed texted forwarded|gesendet geschickt versendet verschickt|envoyé expédié transmis|enviad mandad|inviat spedit mandat inoltrat|sent send mail notif messag invit share forward submit ship post publish report statement transfer request page sms prescri claim
paid transferred|überwiesen bezahlt gezahlt|payé viré versé|pagad transferid|pagat trasferit|paid pay transf charg order checkout purchas settl invoice
ordered purchased|bestellt gekauft|commandé acheté|pedid comprad encargad|ordinat acquistat comprat|order purchas buy checkout cart request
deleted removed erased|gelöscht entfernt|supprimé effacé retiré|eliminad borrad|eliminat cancellat rimoss|delet remov drop purg clear cancel destroy trash archiv uninstall run exec
frozen blocked locked|gesperrt blockiert verriegelt abgeschlossen|bloqué verrouillé|bloquead congelad|bloccat chius|froz freez block lock suspend disab secur out_of
unlocked unfrozen unblocked reactivated|entsperrt freigeschaltet aufgeschlossen|débloqué déverrouillé réactivé|desbloquead reactivad|sbloccat riattivat|unlock unfreez unblock activ open enabl restor
reset|zurückgesetzt|réinitialisé|restablecid|reimpostat reinizializzat|reset recover password restor clear
restarted rebooted|neugestartet|redémarré relancé|reiniciad|riavviat|restart reboot start rollout deploy reload scale
deployed released|ausgerollt|déployé|desplegad||deploy releas rollout rollback publish promot
disputed objected appealed|angefochten reklamiert|contesté|reclamad disputad|contestat|disput claim object appeal complain case ticket submit
invited|eingeladen|invité|invitad|invitat|invit attend event meeting share send add creat updat
notified informed told alerted paged messaged|informiert benachrichtigt verständigt|informé prévenu averti notifié|avisad informad notificad|avvisat informat notificat|notif messag mail send sent page alert escalat inform invit ping sms post comment transf share
assigned|zugewiesen|assigné attribué|asignad|assegnat|assign owner creat route
approved|genehmigt freigegeben|approuvé validé|aprobad|approvat|approv accept grant confirm sign authori
committed|committet|commité|||commit push
merged|zusammengeführt|fusionné|fusionad||merg
tested run|getestet|testé exécuté|probad ejecutad|testat eseguit|test run check exec lint build verif health query sql
verified|überprüft|vérifié|verificad|verificat|check verif get list read search find query test run health lint exec
exported charted|exportiert|exporté|exportad|esportat|export download csv file save report chart
archived|archiviert|archivé|archivad|archiviat|archiv move label
replied answered responded|beantwortet geantwortet|répondu|respondid contestad|rispost|reply repl respond answer send sent mail messag comment
reported|gemeldet|signalé|denunciad|segnalat|report claim ticket case creat submit escalat messag send file lost incident disput notif
requested|angefordert beantragt|demandé sollicité|solicitad|richiest|request order submit creat send prescri claim appl escalat messag
filed|eingereicht|déposé|presentad|presentat|file claim creat submit escalat ticket report disput appeal
moved rescheduled postponed|verschoben verlegt|déplacé décalé reporté|aplazad|spostat rinviat|move resched updat chang modif edit transf rebook set place
raised|hochgestuft||||raise set updat chang creat open prior escalat
changed updated adjusted|geändert aktualisiert angepasst|modifié changé|actualizad modificad cambiad|modificat aggiornat cambiat|*
created added opened marked|erstellt angelegt hinzugefügt eröffnet eingetragen|créé ajouté ouvert|cread añadid abiert|creat aggiunt apert|*
scheduled saved switched|gespeichert eingerichtet eingeplant|programmé planifié|guardad programad|salvat programmat impostat|*
submitted issued activated enabled installed uploaded shared granted renamed published registered subscribed triggered upgraded renewed extended increased lowered edited applied started|aktiviert deaktiviert verlängert hinterlegt erhöht weitergeleitet installiert hochgeladen geteilt ausgestellt veranlasst|activé désactivé prolongé augmenté installé partagé|activad desactivad ampliad instalad compartid aplicad registrad aumentad|attivat disattivat prorogat installat condivis applicat registrat avviat aumentat|*
closed completed fixed confirmed noted built logged recorded linked copied accepted declined turned put signed escalated|geschlossen bestätigt notiert vermerkt behoben angenommen|fermé clôturé confirmé noté corrigé lancé mis|cerrad confirmad anotad puest corregid|confermat annotat messo corrett|+
done|erledigt|||fatt|*
`

// actions are the participles by hash, and the families.
var actions = readActions(actionTable) //nolint:gochecknoglobals // a read-only table

type actionForms struct {
	forms    map[uint64]form
	families []family
}

func readActions(table string) actionForms {
	a := actionForms{forms: map[uint64]form{}}
	for line := range strings.Lines(strings.TrimSpace(table)) {
		columns := strings.Split(strings.TrimSpace(line), "|")
		f := family{support: strings.Fields(columns[languages]), done: strings.Fields(columns[english]), any: columns[languages] == "*" || columns[languages] == "+", own: columns[languages] == "+"}
		f.lookup = slices.Contains(f.support, "get")
		for l := range languages {
			for w := range strings.FieldsSeq(columns[l]) {
				for _, ending := range [languages][]string{{""}, {""}, {"", "e", "s", "es"}, {"o", "a", "os", "as"}, {"o", "a", "i", "e"}}[l] {
					a.forms[text.Hash(w+ending)] = form{int16(len(a.families)), l}
				}
			}
		}
		a.families = append(a.families, f)
	}
	return a
}

// grammar is what the words before a participle say of it, by language.
type grammar struct {
	own        text.WordSet // the assistant did it
	state      text.WordSet // it is done
	opposed    text.WordSet // it is not done, may be done, or somebody else did it
	before     text.WordSet // directly before a participle: it is no predicate
	conditions text.WordSet // in the sentence: a condition
}

//nolint:gochecknoglobals // read-only tables
var grammars = [languages]grammar{
	english: newGrammar("i i've we we've", "is are was were been it's that's you're they're",
		"not no never nothing none nobody neither nor cannot can could will would may might must should shall be you he she they who whoever had i'll we'll you'll it'll you've they've you'd want need without",
		"to the a an your my our their his her this these any as being get gets", "if when once until unless before after whether whenever soon"),
	german: newGrammar("habe", "ist sind wurde wurden worden bin", "nicht kein keine keinen keiner nie wird werden kann konnte können könnte soll sollen muss müssen hat hatte hätte ohne",
		"der die das den dem ein eine einen ihre ihr zu", "wenn falls sobald ob bis bevor nachdem"),
	french: newGrammar("j'ai ai l'ai avons", "été est sont c'est s'est", "pas ne rien jamais aucun aucune peux peut pouvez pourrez sera seront serait avez ont sans n'est n'ai n'a n'ont",
		"le la les un une votre vos de à", "si lorsque quand"),
	spanish: newGrammar("he hemos", "se sido está están queda quedan fue fueron", "no nada nunca ni puedo puede pueden podrá será serán han has había sin",
		"el la los las un una su tu", "si cuando"),
	italian: newGrammar("ho l'ho abbiamo", "stato stata stati state è sono", "non nulla niente mai posso può possono sarà hai avete",
		"il la i le un una lo gli suo sua", "se quando appena"),
}

func newGrammar(own, state, opposed, before, conditions string) grammar {
	return grammar{text.HashSet(own), text.HashSet(state), text.HashSet(opposed), text.HashSet(before), text.HashSet(conditions)}
}
