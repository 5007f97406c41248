package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
)

func TestEmbed(t *testing.T) {
	requests := 0
	var s wire
	s = serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		inputs := s.Body["input"].([]any)
		var data []string
		for i := len(inputs) - 1; i >= 0; i-- { // in another order than the texts
			data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%s,0.5]}`, i, strings.TrimPrefix(inputs[i].(string), "t")))
		}
		providertest.Body(200, `{"object":"list","model":"e","data":[`+strings.Join(data, ",")+`],"usage":{"prompt_tokens":1,"total_tokens":1}}`)(w, r)
	})
	e, err := openai.NewEmbedder(s.config(t))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	var want [][]float32
	for i := range 300 {
		texts = append(texts, fmt.Sprintf("t%d", i))
		want = append(want, []float32{float32(i), 0.5})
	}
	got, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" || requests != 2 || s.Path != "/v1/embeddings" {
		t.Errorf("%d requests to %s (-want +got)\n%s", requests, s.Path, diff)
	}
	if got, err := e.Embed(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("of no texts: got %v, %v", got, err)
	}
	if _, err := e.Embed(t.Context(), []string{"a", ""}); !errors.Is(err, llm.ErrBadRequest) {
		t.Errorf("of an empty text: got %v, want a bad request", err)
	}
}

func TestEmbedRepliesThatDoNotMatch(t *testing.T) {
	for name, data := range map[string]string{
		"too few":     `[{"index":0,"embedding":[1]}]`,
		"twice":       `[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]`,
		"outside":     `[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]`,
		"negative":    `[{"index":-1,"embedding":[1]},{"index":0,"embedding":[1]}]`,
		"lengths":     `[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]`,
		"empty":       `[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]`,
		"no data":     `null`,
		"other types": `"x"`,
	} {
		s := serve(t, providertest.Body(200, `{"object":"list","model":"e","data":`+data+`}`))
		e, err := openai.NewEmbedder(s.config(t))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.Embed(t.Context(), []string{"a", "b"}); !errors.Is(err, llm.ErrProtocol) {
			t.Errorf("%s: got %v, %v, want a protocol error", name, got, err)
		}
	}
	for _, reply := range []string{`null`, `[]`, `{}`, ``} {
		e, err := openai.NewEmbedder(serve(t, providertest.Body(200, reply)).config(t))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.Embed(t.Context(), []string{"a"}); err == nil {
			t.Errorf("%q: got %v", reply, got)
		}
	}
	s := serve(t, providertest.Body(429, `{}`))
	e, err := openai.NewEmbedder(s.config(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), []string{"a"}); !errors.Is(err, llm.ErrRateLimit) {
		t.Errorf("got %v, want a rate limit", err)
	}
	if !json.Valid([]byte(s.Raw)) {
		t.Errorf("sent %s", s.Raw)
	}
}
