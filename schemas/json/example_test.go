package json_test

import (
	"fmt"
	"log"

	"confab/schemas"
	"confab/schemas/json"
)

// Reads one record of llm.interactions. The strings of the interaction may point into the record.
func ExampleDecoder_Decode() {
	record := []byte(`{"interaction_id": "resp_1", "prompt": "When?", "sources": ["Opened in 1935."], "answer": "In 1937 [1]."}`)
	var in schemas.Interaction
	if err := json.NewDecoder(json.Options{}).Decode(record, &in); err != nil {
		log.Fatal(err)
	}
	fmt.Println(in.ID, in.Answer, in.Messages[0].Role, in.Sources[0].Text)
	// Output: resp_1 In 1937 [1]. user Opened in 1935.
}
