// Package llm is the one client for servers that speak OpenAI's HTTP dialect: fresh answers, embeddings, and the JSON of
// text classifiers. A server is dead, slow, lying or hostile until it has shown otherwise.
//
// It holds whatever is the same for every user of such a server: one attempt with limits on time and size, a budget for
// retries, a limit of attempts at a time, the parameters that this server refuses or ignores, tolerant reading, redaction
// of what leaves, metrics. A redirect is never followed, and nothing that a server, a prompt or a key says gets into an
// error: errors are a class, a status and words of our own.
//
// It refuses prompts and opinions about replies (they live with their user), configuration, budgets of tokens, streaming,
// tools. It makes no traces.
//
// go-openai builds the requests: paths, Azure's deployments, credentials, bodies. Two things it would do are held off.
// It drops a temperature of 0 and refuses, by the name of a model, parameters that servers behind such a name accept:
// model and temperature are put into the body after it. And one NaN among log probabilities makes it lose the whole
// reply, its errors quote bodies, which quote prompts: replies are read here.
package llm
