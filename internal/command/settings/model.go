package settings

import (
	"errors"

	"github.com/qedkit/qed/llm"
)

// ModelVariables are the variables of which one names a model.
const ModelVariables = "OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY"

// ErrNoModel is returned when a program needs a model and none is configured.
var ErrNoModel = errors.New("no model is configured: set " + ModelVariables)

// Server is the account at a provider of models.
type Server struct {
	APIKey  string
	BaseURL string // empty: the provider's own
}

// IsOpenAI reports whether OpenAI, or a server with its API, is configured. A key
// or a base URL is enough.
func (s *Settings) IsOpenAI() bool { return s.APIKey != "" || s.BaseURL != "" }

// IsAnthropic reports whether Anthropic is configured. OpenAI has precedence.
func (s *Settings) IsAnthropic() bool {
	return !s.IsOpenAI() && (s.Anthropic.APIKey != "" || s.Anthropic.BaseURL != "")
}

// Priced returns m with the configured prices: the usage of a reply has its cost.
func (s *Settings) Priced(m llm.Model) llm.Model {
	return llm.Wrap(m, llm.Prices(map[string]llm.Price{"": s.price}))
}

// ModelHelp says in the usage of a program how its model is chosen.
const ModelHelp = `The model is chosen by variables of the environment or of a .env file:
  OPENAI_API_KEY      a key of OpenAI
  OPENAI_BASE_URL     a server with OpenAI's API, such as Ollama or vLLM
  OPENAI_MODEL        its model
  ANTHROPIC_API_KEY   a key of Anthropic, if OpenAI is not configured
  ANTHROPIC_BASE_URL  a server with Anthropic's API
  ANTHROPIC_MODEL     its model
.env.example in the repository lists all settings.
`
