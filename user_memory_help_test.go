package qed_test

import (
	"encoding/json"

	"github.com/qedkit/qed"
)

func shipment(turn int, request, tool string) qed.QueryMetadata {
	return qed.QueryMetadata{
		QueryType: "elasticsearch", Query: json.RawMessage(`{"query":{"match_all":{}}}`), Summary: "20 rows found",
		HowToRetrieve: "index shipments", Request: request, TurnID: turn, Tool: tool, Arguments: json.RawMessage(`{"port":"Miami"}`),
	}
}
