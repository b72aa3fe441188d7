package integration

import (
	"errors"
	"strings"

	"github.com/linkedin/goavro/v2"

	"confab/schemas"
)

// avroPrefix is Confluent's frame with schema id 1, the published schema of interactions.
const avroPrefix = "\x00\x00\x00\x00\x01"

func newInteractionCodec() (*goavro.Codec, error) { return goavro.NewCodec(schemas.InteractionAvro()) }

// avro returns the interaction's id, service, answer and sources in Confluent's frame.
func (in interaction) avro(codec *goavro.Codec) ([]byte, error) {
	sources := make([]any, len(in.Sources))
	for i, text := range in.Sources {
		sources[i] = map[string]any{"text": text}
	}
	return codec.BinaryFromNative([]byte(avroPrefix), map[string]any{
		"interaction_id": in.ID, "service": in.Service, "answer": in.Answer, "sources": sources,
	})
}

// readAvro is the inverse of avro, without sources.
func readAvro(codec *goavro.Codec, value []byte) (interaction, error) {
	payload, framed := strings.CutPrefix(string(value), avroPrefix)
	if !framed {
		return interaction{}, errors.New("not in the frame of schema 1")
	}
	native, _, err := codec.NativeFromBinary([]byte(payload))
	if err != nil {
		return interaction{}, err
	}
	text := func(name string) string {
		s, _ := native.(map[string]any)[name].(string)
		return s
	}
	return interaction{ID: text("interaction_id"), Tenant: text("tenant"), Answer: text("answer")}, nil
}
