package settings

import (
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/anthropic"
	"github.com/qedkit/qed/llm/openai"
)

// isOpenAI reports whether the settings name OpenAI, or a server that speaks its
// API: a key or a base URL is enough.
func (s *Settings) isOpenAI() bool { return s.APIKey != "" || s.BaseURL != "" }

// isAnthropic reports whether they name Anthropic, and nothing of OpenAI's.
func (s *Settings) isAnthropic() bool {
	return !s.isOpenAI() && (s.anthropic.APIKey != "" || s.anthropic.BaseURL != "")
}

// Provider returns the model that the settings name, and whether they name one.
func (s *Settings) Provider() (llm.Model, bool, error) {
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
	return llm.Wrap(m, llm.Retry(nil)), true, nil
}

// Embedder returns the embedder that the settings name, and whether they name one:
// it is that of OpenAI, or of a server that speaks its API.
func (s *Settings) Embedder() (llm.Embedder, bool, error) {
	if s.EmbeddingModel == "" || !s.isOpenAI() {
		return nil, false, nil
	}
	e, err := openai.NewEmbedder(&openai.Options{Model: s.EmbeddingModel, APIKey: s.APIKey, BaseURL: s.BaseURL})
	return e, err == nil, err
}
