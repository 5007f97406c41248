package settings

import (
	"errors"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/anthropic"
	"github.com/qedkit/qed/llm/openai"
)

// ModelVariables are the variables of which one names a model.
const ModelVariables = "OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY"

// ErrNoModel is returned when a program needs a model and none is configured.
var ErrNoModel = errors.New("no model is configured: set " + ModelVariables)

// isOpenAI reports whether OpenAI, or a server with its API, is configured. A key
// or a base URL is enough.
func (s *Settings) isOpenAI() bool { return s.APIKey != "" || s.BaseURL != "" }

// isAnthropic reports whether Anthropic is configured. OpenAI has precedence.
func (s *Settings) isAnthropic() bool {
	return !s.isOpenAI() && (s.anthropic.APIKey != "" || s.anthropic.BaseURL != "")
}

// OpenModel returns the configured model, and reports whether one is configured.
func (s *Settings) OpenModel() (llm.Model, bool, error) {
	var m llm.Model
	var err error
	switch {
	case s.isOpenAI():
		m, err = openai.New(&openai.Options{Model: s.Model, APIKey: s.APIKey, BaseURL: s.BaseURL})
	case s.isAnthropic():
		m, err = anthropic.New(&s.anthropic)
	default:
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return llm.Wrap(s.Priced(m), llm.Retry(nil)), true, nil
}

// Priced returns m with the configured prices: the usage of a reply has its cost.
func (s *Settings) Priced(m llm.Model) llm.Model {
	return llm.Wrap(m, llm.Prices(map[string]llm.Price{"": s.price}))
}

// OpenEmbedder returns the configured embedder, or nil: EMBEDDING_MODEL is a model
// of OpenAI, or of a server with its API.
func (s *Settings) OpenEmbedder() (llm.Embedder, error) {
	if s.EmbeddingModel == "" || !s.isOpenAI() {
		return nil, nil
	}
	return openai.NewEmbedder(&openai.Options{Model: s.EmbeddingModel, APIKey: s.APIKey, BaseURL: s.BaseURL})
}
