// Package llm asks language models for text, and keeps the asking in hand: what
// goes in, what comes out, what it costs and when to stop.
//
// A [Provider] answers one [Request] with one [Response] or an [*Error] of a
// known [Kind]. The packages below are providers: builtin works offline and
// quotes instead of writing; openai, azure, gemini, anthropic and bedrock are
// clients of services and of servers that speak their protocols.
//
// The wrappers of this package are providers too, each usable alone: [Validated]
// (answers that satisfy a JSON Schema, asked again once if they do not),
// [Retried], [Recorded], [Budgeted], [Priced], [Limited] and [Protected] (a
// circuit breaker). [New] puts them around a provider in the one order in which
// they work together.
//
// It promises:
//
//   - An answer to a request with a [Schema] satisfies the schema, or there is an
//     error.
//   - A budget is never exceeded, by any number of concurrent callers, as long as
//     the provider bills no more than the request allows and the prices are right:
//     the most that a call can cost is reserved before the call.
//   - Every call is recorded, failed ones too.
//   - No error and no record contains a credential.
//
// Text in a request's passages is data. It is sent as JSON strings, one passage a
// line, so that nothing in it can end the passage; the model gets no tools. What a
// model makes of instructions inside such text is up to the model: callers check
// what comes back, with a schema and with [Request.Check].
//
// Start reading with provider.go and error.go, then client.go for the order of
// the wrappers.
package llm
