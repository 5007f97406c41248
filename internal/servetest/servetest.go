// Package servetest has an agent and a listener for the tests of servers.
package servetest

import (
	"context"
	"encoding/json"
	"io"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/question"
)

// Agent emits events of all kinds that a format has a form for. What it does
// depends on the message:
//
//   - "ask" asks for a choice, and "approve" for an approval;
//   - "fail" fails after a piece of text, and "panic" panics;
//   - "wait" waits for the end of its context after a piece of text;
//   - "whose" answers with the tenant and the user, and "history" with the history;
//   - everything else is answered with text, tools, sources and a table.
var Agent qed.Agent = qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
	switch turn.Text {
	case "panic":
		panic("secret of the developer")
	case "fail":
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "There"})
		return qed.Answer{}, io.ErrUnexpectedEOF
	case "wait":
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "There"})
		<-ctx.Done()
		return qed.Answer{}, ctx.Err()
	case "whose":
		return qed.Answer{Text: turn.Tenant + "/" + turn.User}, nil
	case "history":
		history, err := json.Marshal(turn.History)
		return qed.Answer{Text: string(history)}, err
	case "ask", "approve":
	default:
		return answer(ctx, turn)
	}
	if turn.Text == "ask" {
		crew, err := qed.Interrupt[string](ctx, question.Question{
			Text: "Which crew?", Choices: []question.Choice{{ID: "n", Text: "North"}, {ID: "s", Text: "South"}},
		})
		return qed.Answer{Text: "The crew is " + crew + "."}, err
	}
	done, err := qed.Approve(ctx, "Send this?", map[string]string{"to": "Rosa"})
	return qed.Answer{Text: "The decision is " + string(done.Decision) + "."}, err
})

func answer(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
	qed.Emit(ctx, qed.RouteDecision{Route: "sql"})
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelReasoning, Content: "Count them."})
	qed.Emit(ctx, qed.ToolStarted{Tool: "sql_agent", ID: "call_1", Arguments: json.RawMessage(`{"q":"count"}`)})
	qed.Emit(ctx, qed.QueryExecuted{Query: "SELECT count(*) FROM crew", Rows: 1})
	qed.Emit(ctx, qed.ToolFinished{Tool: "sql_agent", ID: "call_1", Result: `{"rows":1}`})
	qed.Emit(ctx, qed.ToolStarted{Tool: "broken"})
	qed.Emit(ctx, qed.ToolFinished{Tool: "broken", Error: "it does not work"})
	qed.Emit(ctx, qed.CustomEvent{Kind: "host.progress", JSON: json.RawMessage(`{"done":1}`)})
	qed.Emit(ctx, qed.Planned{Tasks: []qed.PlanTask{{Key: "count", Description: "count", Tool: "sql"}}})
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "There"})
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: " are 10"})
	table := &qed.Table{Columns: []qed.Column{{Name: "name"}, {Name: "n"}, {Name: "n"}}}
	if err := table.Append("Rosa", 10, int64(9007199254740993)); err != nil {
		return qed.Answer{}, err
	}
	a := qed.Answer{
		Text: "There are 10.", Table: table,
		Citations: []qed.Citation{{Title: "Manual", Location: "https://example.com/m"}, {Title: "Notes", Location: "notes.md"}},
		Artifacts: []qed.Artifact{{Name: "chart", MediaType: "application/json", Data: []byte("{}")}},
	}
	a.Usage.InputTokens, a.Usage.OutputTokens, a.Usage.Calls = 12, 3, 1
	return a, nil
}
