package usermemory_test

import (
	"context"
	"encoding/json"

	"github.com/qedkit/qed/finding"
)

func shipment(turn int, request, tool string) finding.QueryMetadata {
	return finding.QueryMetadata{
		QueryType: "elasticsearch", Query: json.RawMessage(`{"query":{"match_all":{}}}`), Summary: "20 rows found",
		HowToRetrieve: "index shipments", Request: request, TurnID: turn, Tool: tool, Arguments: json.RawMessage(`{"port":"Miami"}`),
	}
}

type vectors func(texts []string) ([][]float32, error)

func (v vectors) Embed(_ context.Context, texts []string) ([][]float32, error) { return v(texts) }
