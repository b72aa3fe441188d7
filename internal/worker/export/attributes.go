package export

import (
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"

	"confab/schemas"
)

// attributes are the attributes of an event, a span or a resource. Empty texts are left out.
type attributes []*commonpb.KeyValue

func (a *attributes) add(key string, value *commonpb.AnyValue) {
	*a = append(*a, &commonpb.KeyValue{Key: key, Value: value})
}

// addText adds a text. OTLP refuses text that is not UTF-8.
func (a *attributes) addText(key, text string) {
	if text != "" {
		a.add(key, textValue(text))
	}
}

func textValue(text string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: strings.ToValidUTF8(text, "\uFFFD")}}
}

func (a *attributes) addNumber(key string, x float64) {
	a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: x}})
}

func (a *attributes) addList(key string, texts []string) {
	list := &commonpb.ArrayValue{}
	for _, t := range texts {
		list.Values = append(list.Values, textValue(t))
	}
	a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: list}})
}

// addFlag adds what identifies and describes the flag.
func (a *attributes) addFlag(f *schemas.Flag) {
	a.addText("confab.incident_id", f.IncidentID)
	a.addText("confab.pass", string(f.Pass))
	a.addText("confab.interaction_id", f.InteractionID)
	a.addText("confab.tenant", f.Tenant)
	a.addText("confab.service", f.Service)
	a.addText("confab.operation", f.Operation)
	a.addText("confab.recommendation", string(f.Recommendation))
	a.addText("confab.action", string(f.Action))
	a.addText("confab.calibration", f.Calibration)
	a.add("alert.fired", &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: f.Alert}})
}

// addCall adds what the conventions have for the evaluated call. It is for events only: trace backends count a span with
// the name of a model as a call.
func (a *attributes) addCall(f *schemas.Flag) {
	if f.IDSource == "" && f.InteractionID != f.TraceID+"-"+f.SpanID { // else the id is made from coordinates
		a.addText("gen_ai.response.id", f.InteractionID)
	}
	a.addText("gen_ai.provider.name", f.Provider)
	a.addText("gen_ai.response.model", f.Model)
	a.addText("gen_ai.conversation.id", f.ConversationID)
}
