package mapping

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/require"
)

// qa is one invented answer with what it was given.
type qa struct {
	Q, A, Gold string
	P          []string
	N          int // of the record
}

// All is the passages as one text.
func (r qa) All() string { return strings.Join(r.P, "\n\n") }

// ID is unique for the record.
func (r qa) ID() string { return fmt.Sprintf("a%03x-77%02d", 4000+r.N*37, r.N) }

// Time is the record's time.
func (r qa) Time() string { return fmt.Sprintf("2026-11-21T10:%02d:07Z", r.N*3) }

// Seconds is the record's time since 1970.
func (r qa) Seconds() int { return 1795255207 + 180*r.N }

// rows are by language.
//
//nolint:misspell // words of other languages
func rows(language string) []qa {
	all := map[string][]qa{
		"en": {
			{Q: "How long can I return goods?", A: "You can return goods within 90 days of delivery [1].", Gold: "30 days", P: []string{"Goods can be returned within 30 days of delivery. Refunds are paid by bank transfer within 5 days.", "Opened hygiene products cannot be returned."}},
			{Q: "What does the team plan cost", A: "The team plan costs 19 euros per seat and month, billed once a year.", Gold: "19 euros", P: []string{"Team plan: 19 euros per seat and month. Yearly billing only.", "The free plan has three seats.", "Enterprise prices on request."}},
			{Q: "Can I export my data?", A: "Yes. Workspace owners can export everything as a ZIP archive from the settings page; the link stays valid for 48 hours.", Gold: "yes", P: []string{"Owners of a workspace can export all data as a ZIP archive under Settings. The download link is valid for 24 hours."}},
			{Q: "my router blinks red since this morning, what now?", A: "A red light means that the router has no connection. Unplug it for ten seconds, then wait two minutes.", Gold: "restart", P: []string{"Red light: no connection. Unplug the router for 10 seconds.", "Green light: everything works."}},
			{Q: "Who approves travel expenses?", A: "Travel expenses up to 500 euros are approved by your team lead, everything above by finance.", Gold: "team lead", P: []string{"Team leads approve travel expenses up to 500 euros. Finance approves larger amounts.", "Receipts are uploaded within 14 days."}},
			{Q: "Is the museum open on Mondays?", A: "No, the museum is closed on Mondays, except on public holidays.", Gold: "no", P: []string{"Opening hours: Tuesday to Sunday 10 to 18. Closed on Mondays except public holidays."}},
		},
		"de": {
			{Q: "Wie lange kann ich Ware zurückgeben?", A: "Sie können Ware innerhalb von 90 Tagen nach der Lieferung zurückgeben.", Gold: "30 Tage", P: []string{"Waren können innerhalb von 30 Tagen nach der Lieferung zurückgegeben werden.", "Hygieneartikel sind ausgeschlossen."}},
			{Q: "Was kostet ein Parkausweis?", A: "Ein Parkausweis für Anwohner kostet 45 Euro im Jahr.", Gold: "45 Euro", P: []string{"Der Parkausweis für Anwohner kostet 45 Euro pro Jahr.", "Gäste zahlen 3 Euro am Tag."}},
			{Q: "Wann öffnet das Bürgeramt", A: "Das Bürgeramt öffnet montags um 8 Uhr und schließt um 16 Uhr.", Gold: "8 Uhr", P: []string{"Das Bürgeramt ist montags bis freitags von 8 bis 15 Uhr geöffnet."}},
			{Q: "Wer genehmigt den Urlaub?", A: "Den Urlaub genehmigt die direkte Führungskraft binnen drei Tagen.", Gold: "Führungskraft", P: []string{"Urlaub wird von der direkten Führungskraft genehmigt.", "Die Frist beträgt drei Tage."}},
		},
		"es": {
			{Q: "¿Cuánto tarda el envío?", A: "El envío a la península tarda entre dos y cuatro días laborables.", Gold: "2 días", P: []string{"Los envíos a la península tardan entre 2 y 3 días laborables.", "A las islas tardan una semana."}},
			{Q: "¿Puedo cambiar de tarifa?", A: "Sí, puede cambiar de tarifa una vez al mes sin coste alguno.", Gold: "sí", P: []string{"El cambio de tarifa es gratuito una vez al mes."}},
			{Q: "¿Qué documentos necesito para el alta?", A: "Necesita su DNI en vigor y un recibo bancario reciente.", Gold: "DNI", P: []string{"Para el alta se necesita el DNI en vigor y un recibo bancario.", "El alta se hace en la oficina."}},
		},
		"fr": {
			{Q: "Quel est le délai de rétractation ?", A: "Vous disposez de 30 jours pour changer d'avis après la livraison.", Gold: "14 jours", P: []string{"Le délai de rétractation est de 14 jours après la livraison.", "Les frais de retour sont à votre charge."}},
			{Q: "Comment résilier mon abonnement ?", A: "La résiliation se fait en ligne, depuis l'espace client, avec un préavis d'un mois.", Gold: "en ligne", P: []string{"La résiliation se fait depuis l'espace client. Le préavis est d'un mois."}},
			{Q: "Où se trouve le compteur ?", A: "Le compteur se trouve en général dans le couloir, près de la porte.", Gold: "couloir", P: []string{"Le compteur d'électricité est situé dans le couloir, près de la porte d'entrée."}},
		},
	}
	for i := range all[language] {
		all[language][i].N = i + 1
	}
	return all[language]
}

// shape is how an invented program logs its answers.
type shape struct {
	name, language, record string
	kind                   string // of the file, "" for JSON Lines: array, csv
	noQuestion, noSources  bool
}

// shapes are logs that teams could have. Those of the second half were not looked at while the weights were chosen.
//
//nolint:lll,misspell // a record is a line; words of other languages
var shapes = []shape{
	{name: "nested hits", language: "en", record: `{"ts":{{js .Time}},"ask":{{js .Q}},"rag":{"k":5,"index":"kb-2026","hits":[{{list .P "{\"chunk\":{\"body\":$p,\"pos\":$i},\"sim\":0.8$i}"}}]},"gen":{"reply":{"md":{{js .A}}},"engine":"atlas-70b","ms":83{{.N}}},"req":{{js .ID}}}`},
	{name: "German", language: "de", record: `{"zeitpunkt":{{js .Time}},"vorgangsnummer":"V-20{{.N}}7","frage":{{js .Q}},"antwort":{{js .A}},"fundstellen":[{{list .P "{\"inhalt\":$p,\"dokument\":\"Merkblatt $i\",\"seite\":3}"}}],"modell":"atlas-8b"}`},
	{name: "event envelope", language: "en", record: `{"specversion":"1.0","type":"com.shop.bot.answered","source":"/bots/help","id":{{js .ID}},"time":{{js .Time}},"datacontenttype":"application/json","data":{"userText":{{js .Q}},"botText":{{js .A}},"kbArticles":[{{list .P "{\"title\":\"Help $i\",\"excerpt\":$p}"}}],"sessionKey":"s-{{.N}}1"}}`},
	{name: "column of JSON text", language: "en", record: `{"id":{{.N}},"created":{{js .Time}},"tenant":"acme","payload":{{text "{\"q\":%s,\"docs\":[%s],\"completion\":%s}" (js .Q) (list .P "$p") (js .A)}}}`},
	{name: "list of events", language: "en", record: `{"session":"x{{.N}}","events":[{"kind":"user_msg","text":{{js .Q}},"at":1},{"kind":"retrieval","index":"kb","passages":[{{list .P "$p"}}]},{"kind":"bot_msg","text":{{js .A}},"at":2}]}`},
	{name: "Spanish", language: "es", record: `{"fecha":{{js .Time}},"canal":"web","pregunta":{{js .Q}},"respuesta":{{js .A}},"fuentes":[{{list .P "$p"}}],"modelo":"atlas-8b","usuario":"u{{.N}}"}`},
	{name: "turns and a text of knowledge", language: "en", record: `{"conversation":{"id":{{js .ID}},"turns":[{"speaker":"agent","utterance":"Hello, how can I help you?"},{"speaker":"customer","utterance":{{js .Q}}},{"speaker":"agent","utterance":{{js .A}}}]},"knowledge":{{js .All}},"bot":"helpdesk"}`},
	{name: "Elastic log", language: "en", record: `{"@timestamp":{{js .Time}},"log.level":"INFO","service.name":"kb-bot","labels":{"env":"prod"},"message":"llm call done","llm":{"in":{{js .Q}},"out":{{js .A}},"ctx":{{js .All}},"name":"atlas-8b"}}`},
	{name: "PascalCase", language: "en", record: `{"CorrelationId":{{js .ID}},"TimestampUtc":{{js .Time}},"UserQuestion":{{js .Q}},"GeneratedAnswer":{{js .A}},"RetrievedChunks":[{{list .P "{\"ChunkId\":\"c$i\",\"ChunkText\":$p,\"Score\":0.7}"}}],"ModelDeployment":"atlas-70b","Error":null}`},
	{name: "French", language: "fr", record: `{"horodatage":{{js .Time}},"requete":{{js .Q}},"reponse":{{js .A}},"extraits":[{{list .P "{\"texte\":$p,\"titre\":\"Fiche $i\"}"}}],"modele":"atlas-8b"}`},
	{name: "pages of a scan", language: "en", record: `{"job":{{js .ID}},"document":{"file":"scan-{{.N}}.tif","pages":[{{list .P "{\"no\":$i,\"ocr_text\":$p,\"dpi\":300}"}}]},"task":{{js .Q}},"extraction":{"result_text":{{js .A}},"confidence":0.91},"ocr_engine":"scan 5.3"}`},
	{name: "summaries", language: "en", noQuestion: true, record: `{"doc_id":{{.N}},"article":{{js .All}},"summary":{{js .A}},"summarizer":"atlas-70b","section":"news"}`},
	{name: "gold answers beside", language: "en", record: `{"question":{{js .Q}},"expected_answer":{{js .Gold}},"model_answer":{{js .A}},"context_list":[{{list .P "$p"}}],"reasoning":"The user asks about: {{.N}}. I look at the first passage and answer in one sentence.","judge_comment":"Looks plausible to me, tone is fine."}`},
	{name: "database columns", language: "en", record: `{"INTERACTION_ID":{{js .ID}},"USER_INPUT":{{js .Q}},"AI_OUTPUT":{{js .A}},"CONTEXT_DOCS_JSON":{{text "[%s]" (list .P "{\"DOC\":$p,\"RANK\":$i}")}},"MODEL_NAME":"atlas-8b","CREATED_TS":{{.Seconds}}}`},
	{name: "calls in an own envelope", language: "en", record: `{"meta":{"app":"shop","build":"1.4.2"},"call":{"req":{"model":"atlas-8b","messages":[{"role":"system","content":"Answer briefly."},{"role":"user","content":{{js .Q}}}]},"resp":{"id":{{js .ID}},"object":"chat.completion","created":{{.Seconds}},"model":"atlas-8b","choices":[{"index":0,"message":{"role":"assistant","content":{{js .A}}},"finish_reason":"stop"}]}},"retrieved":[{{list .P "{\"t\":$p,\"n\":$i}"}}]}`},
	{name: "steps of tools", language: "en", record: `{"trace":{"steps":[{{list .P "{\"tool\":\"search\",\"args\":\"{}\",\"output\":$p}"}}],"final":{{js .A}}},"input":{"text":{{js .Q}},"lang":"en"},"run":{{js .ID}}}`},
	{name: "names without a meaning", language: "en", record: `{"c1":{{js .ID}},"c2":{{js .Q}},"c3":[{{list .P "$p"}}],"c4":{{js .A}},"c5":"atlas-8b"}`},
	{name: "candidates", language: "en", record: `{"prompt":{{js .Q}},"candidates":[{"text":{{js .A}},"rank":1},{"text":"I do not know that, sorry.","rank":2}],"grounding":[{{list .P "{\"passage\":{\"txt\":$p},\"w\":$i}"}}],"params":{"temperature":0.2,"top_p":1}}`},

	{name: "Italian", language: "en", record: `{"data_ora":{{js .Time}},"domanda":{{js .Q}},"risposta":{{js .A}},"documenti":[{{list .P "{\"testo\":$p,\"fonte\":\"https://kb.example/$i\"}"}}],"modello":"atlas-8b"}`},
	{name: "Portuguese", language: "en", record: `{"pergunta":{{js .Q}},"resposta":{{js .A}},"trechos":[{{list .P "$p"}}],"sessao":"s{{.N}}"}`},
	{name: "history and the latest turn", language: "en", record: `{"history":[{"from":"human","value":"Hi there"},{"from":"gpt","value":"Hello! What can I do for you today?"}],"latest":{"user":{{js .Q}},"bot":{{js .A}}},"snippets":[{{list .P "{\"s\":$p,\"u\":\"https://kb.example/$i\"}"}}],"sid":{{js .ID}}}`},
	{name: "detail of an event", language: "en", record: `{"eventVersion":"2","eventSource":"chat.prod","eventTime":{{js .Time}},"detail":{"chat":{"in":{"message":{{js .Q}},"locale":"en-GB"},"out":{"message":{{js .A}},"citations":[{{list .P "{\"quote\":$p,\"doc\":\"d$i.pdf\"}"}}]}}}}`},
	{name: "a table", language: "en", kind: "csv", record: `{"timestamp":{{js .Time}},"user_query":{{js .Q}},"bot_response":{{js .A}},"retrieved_text":{{js .All}},"model":"atlas-8b"}`},
	{name: "an array", language: "en", kind: "array", record: `{"query":{{js .Q}},"hits":[{{list .P "{\"_id\":\"h$i\",\"_score\":1.$i,\"_source\":{\"body\":$p}}"}}],"generated_text":{{js .A}},"took":12}`},
	{name: "GraphQL", language: "en", record: `{"operationName":"Ask","variables":{"input":{"question":{{js .Q}},"locale":"en"}},"data":{"assistantReply":{"__typename":"Reply","body":{{js .A}},"sourceExcerpts":[{{list .P "{\"excerpt\":$p,\"article\":{\"title\":\"Help $i\",\"url\":\"https://kb.example/$i\"}}"}}]}}}`},
	{name: "speech assistant", language: "en", record: `{"req":{"userUtterance":{{js .Q}},"channel":"WEB","requestId":{{js .ID}}},"res":{"outputSpeech":{"type":"PlainText","text":{{js .A}}},"endSession":false},"knowledgeBase":{"matches":[{{list .P "{\"document\":{\"content\":$p},\"score\":0.6$i}"}}]}}`},
	{name: "fields as JSON text", language: "en", record: `{"level":"info","msg":"llm_call","time":{{js .Time}},"fields":{{text "{\"prompt\":%s,\"completion\":%s,\"documents\":[%s],\"latency\":12}" (js .Q) (js .A) (list .P "{\"text\":$p}")}}}`},
	{name: "German with umlauts", language: "de", record: `{"ereignis":"Antwort erzeugt","uhrzeit":{{js .Time}},"nutzereingabe":{{js .Q}},"kontext":[{{list .P "{\"abschnitt\":$p,\"überschrift\":\"Kapitel $i\"}"}}],"ki_ausgabe":{{js .A}},"sitzung":"S{{.N}}"}`},
	{name: "tickets", language: "en", record: `{"ticket":{"number":{{.N}}0021,"subject":"Question of a customer","description":{{js .Q}}},"suggestion":{"draft":{{js .A}},"approved":true,"approver":"kim"},"kb":[{{list .P "{\"article_id\":$i,\"article_body\":$p}"}}]}`},
	{name: "calls on the phone", language: "en", record: `{"call_id":{{js .ID}},"asr":{"transcript":{{js .Q}},"confidence":0.93},"tts":{"spoken":{{js .A}},"voice":"anna"},"rag":{"documents":[{{list .P "$p"}}]}}`},
	{name: "events of several kinds", language: "en", record: `{"type":"feedback","ref":{{js .ID}},"rating":5,"note":"Thanks, that helped me a lot today."}` + "\n" + `{"type":"turn","ref":{{js .ID}},"body":{"user_message":{{js .Q}},"assistant_message":{{js .A}},"passages":[{{list .P "{\"p\":$p}"}}]}}`},
	{name: "Chinese names", language: "en", record: `{"编号":{{js .ID}},"问题":{{js .Q}},"回答":{{js .A}},"参考资料":[{{list .P "{\"内容\":$p}"}}],"模型":"atlas-8b"}`},
	{name: "passages within results", language: "en", record: `{"q":{{js .Q}},"results":[{"doc":"a.pdf","passages":[{{list .P "$p"}}]}],"response_text":{{js .A}},"lang":"en"}`},
	{name: "documents of a case", language: "en", record: `{"case":{{js .ID}},"system":"You are a careful paralegal. Use the documents only.","prompt_template":"Documents: {docs}\n\nInstruction: {instruction}\n\nAnswer in at most three sentences and cite the document.","instruction":{{js .Q}},"input_documents":[{{list .P "{\"name\":\"doc$i.docx\",\"full_text\":$p}"}}],"llm_result":{{js .A}}}`},
	{name: "bodies of HTTP", language: "en", record: `{"http":{"request":{"method":"POST","path":"/ask","body":{{text "{\"question\":%s,\"user\":\"u1\"}" (js .Q)}}},"response":{"status":200,"body":{{text "{\"answer\":%s,\"sources\":[%s]}" (js .A) (list .P "{\"snippet\":$p}")}}}},"ts":{{.Seconds}}}`},
	{name: "bodies of Anthropic", language: "en", noSources: true, record: `{"ts":{{js .Time}},"vendor":"x","request_json":{{text "{\"model\":\"m\",\"max_tokens\":99,\"system\":\"Be brief.\",\"messages\":[{\"role\":\"user\",\"content\":%s}]}" (js .Q)}},"response_json":{{text "{\"id\":\"msg_%d\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":%s}],\"stop_reason\":\"end_turn\"}" .N (js .A)}}}`},
}

// Last is the last passage.
func (r qa) Last() string { return r.P[len(r.P)-1] }

// file writes the shape's records as its program does.
func (s *shape) file(t *testing.T) []byte {
	t.Helper()
	js := func(v string) string {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		require.NoError(t, e.Encode(v))
		return strings.TrimSpace(b.String())
	}
	n := 0
	body := template.Must(template.New("").Funcs(template.FuncMap{
		"js":   js,
		"text": func(format string, args ...any) string { return js(fmt.Sprintf(format, args...)) },
		"list": func(passages []string, format string) string {
			var items []string
			for i, p := range passages {
				n++
				items = append(items, strings.NewReplacer("$p", js(p), "$i", strconv.Itoa(i), "$n", strconv.Itoa(n)).Replace(format))
			}
			return strings.Join(items, ",")
		},
	}).Parse(s.record))
	var lines []string
	for _, r := range rows(s.language) {
		var b bytes.Buffer
		require.NoError(t, body.Execute(&b, r))
		for line := range strings.SplitSeq(b.String(), "\n") {
			require.True(t, json.Valid([]byte(line)), line)
			lines = append(lines, line)
		}
	}
	switch s.kind {
	case "array":
		return []byte("[\n" + strings.Join(lines, ",\n") + "\n]\n")
	case "csv":
		return csvOf(t, lines)
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// csvOf writes flat records as a table, with the columns of the first.
func csvOf(t *testing.T, lines []string) []byte {
	t.Helper()
	columns := []string{"timestamp", "user_query", "bot_response", "retrieved_text", "model"}
	out := strings.Join(columns, ",") + "\n"
	for _, line := range lines {
		var r map[string]string
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		for i, c := range columns {
			out += strings.Repeat(",", min(i, 1)) + `"` + strings.ReplaceAll(r[c], `"`, `""`) + `"`
		}
		out += "\n"
	}
	return []byte(out)
}

func TestShapesAreRecords(t *testing.T) {
	names := map[string]bool{}
	for i := range shapes {
		require.NotEmpty(t, shapes[i].file(t), shapes[i].name)
		names[shapes[i].name] = true
	}
	require.Len(t, names, 36)
}
