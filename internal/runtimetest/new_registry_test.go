package runtimetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

// A registry with a tool that cannot be used has no tools, and makes no call.
func TestNewRegistryWithTools(t *testing.T) {
	good := qed.Tool{Name: "good", Call: func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`1`), nil
	}}
	r := qed.NewRegistry(nil, good)
	results, err := r.Do(t.Context(), llm.ToolCall{Name: "good"})
	if r.Err() != nil || err != nil || string(results[0].Output) != "1" {
		t.Errorf("%v %v %+v", r.Err(), err, results)
	}
	bad := qed.NewRegistry(nil, good, qed.Tool{Name: "no call"})
	if bad.Err() == nil || len(bad.Names()) != 0 {
		t.Errorf("%v %v", bad.Err(), bad.Names())
	}
	if _, err := bad.Do(t.Context(), llm.ToolCall{Name: "good"}); !errors.Is(err, bad.Err()) {
		t.Error(err)
	}
}
