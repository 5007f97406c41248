package serve_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

// The real clients read these streams in the tests of integration.
func TestUIStream(t *testing.T) {
	st := new(store.InMemory)
	url, _ := newServer(t, qed.Durable(rich, st, nil), &serve.Options{Store: st})
	got := send(t, "POST", url+"/api/chat", `{"id":"a","messages":[{"role":"user","parts":[{"type":"text","text":"hello"}]}]}`)
	if got.header.Get("x-vercel-ai-ui-message-stream") != "v1" || strings.Contains(got.body, "null") {
		t.Error(got)
	}
	var types []string
	for _, data := range got.data() {
		var chunk struct{ Type string }
		if data != "[DONE]" && json.Unmarshal([]byte(data), &chunk) != nil {
			t.Fatal(data)
		}
		types = append(types, chunk.Type)
	}
	want := []string{
		"start", "start-step", "data-route_decision", "reasoning-start", "reasoning-delta", "reasoning-end",
		"tool-input-start", "tool-input-available", "data-query_executed", "tool-output-available",
		"tool-input-start", "tool-input-available", "tool-output-error", "data-host.progress", "data-planned",
		"text-start", "text-delta", "text-delta", "text-delta", "text-end",
		"source-url", "source-document", "data-answer", "finish-step", "finish", "",
	}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Error(diff)
	}
}

// The replies of the last step count: those of earlier steps were given before.
func TestUIReplies(t *testing.T) {
	st := new(store.InMemory)
	url, _ := newServer(t, qed.Durable(rich, st, nil), &serve.Options{Store: st})
	send(t, "POST", url+"/api/chat", `{"id":"a","messages":[{"role":"user","parts":[{"type":"text","text":"ask"}]}]}`)
	thread, err := qed.Inspect(t.Context(), st, "a")
	if err != nil || len(thread.Questions) != 1 {
		t.Fatal(thread, err)
	}
	part := func(id, output string) string {
		return `{"type":"tool-ask_user","state":"output-available","toolCallId":"` + id + `","output":"` + output + `"}`
	}
	body := func(parts ...string) string {
		return `{"id":"a","messages":[{"role":"assistant","parts":[` + strings.Join(parts, ",") + `]}]}`
	}
	id := thread.Questions[0].ID
	if got := send(t, "POST", url+"/api/chat", body(part("other", "s"))); got.status != 409 {
		t.Error(got)
	}
	if got := send(t, "POST", url+"/api/chat", body(part(id, "n"), `{"type":"step-start"}`)); got.status != 400 {
		t.Error(got)
	}
	got := send(t, "POST", url+"/api/chat", body(part("other", "n"), `{"type":"step-start"}`, part(id, "s")))
	if got.status != 200 || !strings.Contains(got.body, "The crew is s.") {
		t.Error(got)
	}
}
