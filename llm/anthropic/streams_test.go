package anthropic_test

import (
	"testing"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/anthropic"
)

func TestStreams(t *testing.T) {
	providertest.TestStreams(t, func(t *testing.T, s *providertest.Server, _ string) llm.Model {
		m, err := anthropic.New(&anthropic.Options{BaseURL: s.URL, HTTPClient: s.Client(t)})
		if err != nil {
			t.Fatal(err)
		}
		return m
	})
}
