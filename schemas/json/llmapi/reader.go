package llmapi

import "confab/schemas"

// Reader reads calls one after another, as the functions of the package do, with less memory. It is not safe for concurrent use.
// Strings point into Scratch of the interaction, too.
type Reader struct{ doc *doc }

// Request is the function Request.
func (r *Reader) Request(raw []byte, in *schemas.Interaction) error {
	v, err := r.open(raw, in)
	if err != nil {
		return err
	}
	defer r.close(in)
	return readRequest(v, in)
}

// Response is the function Response.
func (r *Reader) Response(raw []byte, in *schemas.Interaction) (Reading, error) {
	if IsTranscript(raw) {
		return Response(raw, in)
	}
	v, err := r.open(raw, in)
	if err != nil {
		return Reading{}, err
	}
	defer r.close(in)
	a := &Answers{}
	if err := a.readWhole(v); err != nil {
		return Reading{}, err
	}
	return a.Fill(0, nil, in)
}

// open opens a JSON text, whose resolved escapes follow those of the interaction.
func (r *Reader) open(raw []byte, in *schemas.Interaction) (value, error) {
	if r.doc == nil {
		r.doc = newDoc()
	}
	r.doc.err = nil
	v, err := r.doc.open(raw)
	if err != nil {
		r.doc.Release()
		return value{}, err
	}
	r.doc.Scratch = in.Scratch
	return v, nil
}

// close lets go of the text.
func (r *Reader) close(in *schemas.Interaction) {
	in.Scratch = r.doc.Scratch
	r.doc.Release()
}
