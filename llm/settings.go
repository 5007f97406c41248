package llm

import "time"

// Settings are how an agent or a tool calls its model. They are embedded in the
// options of every package that asks a model. Nil and zero fields mean the
// defaults that are named here.
type Settings struct {
	// Temperature is the sampling temperature. Nil means that none is sent, so
	// the provider's default applies. Many models accept no other: they refuse a
	// request with a temperature.
	Temperature *float64

	// ContextTokens is how many tokens the model reads and writes in one call, as its
	// server was started: 4096 for many local ones. 0 means 128,000. MaxOutputTokens of
	// them are for the reply. Agents leave out rows, then the oldest messages, then
	// descriptions that do not fit; a prompt that is still too long is an error of the kind
	// [ErrContextLength]. Tokens are counted as [EstimateTokens] does.
	ContextTokens int

	// MaxOutputTokens limits one reply of the model. 0 means 4000, and at most a quarter
	// of ContextTokens. A reply that is a choice, such as of tables, has a lower limit, which
	// no valid reply reaches, unless the model thinks.
	MaxOutputTokens int

	// CallTokens has lower limits for the replies of single kinds of calls, by
	// [Request.Name], such as {"answer": 300} for a model that repeats itself. The package
	// of each agent lists the names of its requests.
	CallTokens map[string]int

	// ModelTimeout limits one call of the model. 0 means two minutes.
	ModelTimeout time.Duration

	// JSONMode asks for JSON without sending a schema to the provider. It is for
	// servers that do not constrain replies to a schema.
	JSONMode bool
}
