// Package llm is the client for servers with OpenAI's HTTP API: sampled responses and embeddings, and for servers that check claims.
// It treats servers as unreliable and replies as untrusted.
//
// It has what every user of such a server needs: attempts with limits on time and size, a retry budget, a limit of
// concurrent attempts, unsupported parameters, tolerant parsing, redaction of outgoing texts, metrics. It does not follow
// redirects, and errors hold no text of a server, prompt or key: they are a class, a status and a fixed text. Prompts,
// configuration, token budgets, streaming, tools and traces are not part of it.
//
// go-openai builds the requests: paths, Azure's deployments, credentials, bodies. Two of its behaviors are avoided. It
// drops a temperature of 0 and refuses, by model name, parameters that compatible servers accept: model and temperature
// are put into the body afterwards. One NaN among log probabilities makes it lose the whole reply, and its errors quote
// bodies, which quote prompts: this package parses replies itself.
package llm
