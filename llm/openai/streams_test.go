package openai_test

import (
	"testing"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
)

func TestStreams(t *testing.T) {
	providertest.TestStreams(t, func(t *testing.T, s *providertest.Server, file string) llm.Model {
		return wire{s}.model(t, func(o *openai.Options) {
			if file == "responses" {
				o.API = openai.Responses
			}
		})
	})
}
