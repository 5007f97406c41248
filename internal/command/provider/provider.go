// Package provider opens the models that the settings name. It links the SDKs of the
// providers, so a program that only replays does not import it.
package provider

import (
	"cmp"
	"context"
	"path/filepath"
	"time"

	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/anthropic"
	"github.com/qedkit/qed/llm/openai"
)

// Open returns the configured model, and reports whether one is configured. It sets
// conf.Model to the provider's default if no model is named, and its context if the server
// says it and no variable does.
func Open(conf *settings.Settings) (model llm.Model, live bool, err error) {
	switch {
	case conf.IsOpenAI():
		opt := &openai.Options{
			Model: conf.Model, APIKey: conf.APIKey, BaseURL: conf.BaseURL,
			Timeout: conf.Agent.ModelTimeout, LoadTimeout: conf.LoadTimeout,
		}
		if model, err = openai.New(opt); err == nil && conf.Agent.ContextTokens == 0 && conf.BaseURL != "" {
			conf.Agent.ContextTokens = contextOf(opt)
		}
	case conf.IsAnthropic():
		conf.Model = cmp.Or(conf.Model, anthropic.DefaultModel)
		model, err = anthropic.New(&anthropic.Options{
			Model: conf.Model, APIKey: conf.Anthropic.APIKey, BaseURL: conf.Anthropic.BaseURL, Timeout: conf.Agent.ModelTimeout,
		})
	default:
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return llm.Wrap(conf.Priced(model), llm.Retry(nil)), true, nil
}

// contextOf returns the context of a model at a server of one's own, or 0 if it does not
// say.
func contextOf(opt *openai.Options) int {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	return openai.ContextTokens(ctx, opt)
}

// OrReplay returns the configured model, or replay if none is configured, and reports
// whether the model is live. It notes which one answers. Without both it returns
// [settings.ErrNoModel].
func OrReplay(
	conf *settings.Settings, note func(format string, args ...any), replay llm.Model,
) (model llm.Model, live bool, err error) {
	model, live, err = Open(conf)
	switch {
	case err != nil:
		return nil, false, err
	case live:
		note("Talking to %s.", conf.Model)
		if n := conf.Agent.ContextTokens; n > 0 {
			note("Its context has %d tokens.", n)
		}
	case replay == nil:
		return nil, false, settings.ErrNoModel
	default:
		model = conf.Priced(replay)
		note("No model is configured (%s): a recorded conversation is replayed.\n"+
			"The model's words are recorded; everything else really runs. To ask what you like, set one of these variables.",
			settings.ModelVariables)
	}
	return model, live, nil
}

// OpenEmbedder returns the configured embedder, or nil: EMBEDDING_MODEL is a model
// of OpenAI, or of a server with its API. Its vectors are kept in the folder
// embeddings_cache next to the file of conversations, so that a program that starts again
// does not make them again.
func OpenEmbedder(conf *settings.Settings) (llm.Embedder, error) {
	if conf.EmbeddingModel == "" || !conf.IsOpenAI() {
		return nil, nil
	}
	e, err := openai.NewEmbedder(&openai.Options{Model: conf.EmbeddingModel, APIKey: conf.APIKey, BaseURL: conf.BaseURL})
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(filepath.Dir(conf.Conversations.Path), "embeddings_cache")
	return llm.CacheEmbedderFiles(llm.RetryEmbedder(e, nil), folder, conf.BaseURL+" "+conf.EmbeddingModel)
}
