package searchagent

import (
	"context"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
)

// classification is the model's reply about a message.
type classification struct {
	Intent     string `json:"intent" jsonschema:"enum=search,enum=move,enum=delete,enum=other,description=search if the message asks to find\\, list or count documents"`
	Confidence string `json:"confidence" jsonschema:"enum=high,enum=medium,enum=low"`
	Reasoning  string `json:"reasoning" jsonschema:"description=one sentence why"`
}

// classifyData is the data of the prompt for classifying a message.
type classifyData struct {
	Question string
	Indices  []promptIndex // without their fields
}

// classify is the first node: the model decides whether the message asks for a
// search. If it does not, and the model is certain, the turn ends here. Otherwise
// the planner can still decline.
func (a *agent) classify(ctx context.Context, s state) (state, error) {
	if a.opt.SkipClassification {
		return s, nil
	}
	data := classifyData{Question: s.Question}
	for _, name := range a.validator.Indices() {
		data.Indices = append(data.Indices, promptIndex{Name: name, About: a.opt.About[name]})
	}
	c, err := modelcall.Reply[classification](ctx, a.model, "classify", a.prompts["classify"], data, s.History)
	decision := qed.RouteDecision{
		Route: intentSearch, Confidence: c.Confidence, Reason: prompt.Clip(prompt.OneLine(c.Reasoning), maxReason),
	}
	switch {
	case modelcall.Unusable(err):
		decision = qed.RouteDecision{Route: intentSearch, Reason: "the model did not classify the message", Fallback: true}
	case err != nil:
		return s, err
	case c.Intent != intentSearch && c.Confidence != "low":
		decision.Route = c.Intent
		s.Reason, s.Declined = a.cannot(ctx, c.Reasoning), true
	}
	s.Intent, s.Confidence, s.Reasoning = decision.Route, decision.Confidence, decision.Reason
	qed.Emit(ctx, decision)
	return s, nil
}

// intentSearch is the intent that the agent serves. The others are labels for the
// host: see the schema of a classification.
const intentSearch = "search"

// cannot returns the text for a message that does not ask for a search.
func (a *agent) cannot(ctx context.Context, why string) string {
	texts := a.reader.texts(ctx)
	names := a.validator.Indices()
	text := strings.Join(names[:min(len(names), maxNames)], ", ")
	if more := len(names) - maxNames; more > 0 {
		text = usertext.Fill(texts.AndMore, "names", text, "n", strconv.Itoa(more))
	}
	text = usertext.Fill(texts.OnlySearch, "indices", text)
	if why = strings.TrimRight(prompt.OneLine(prompt.Clip(why, maxReason)), ". "); why != "" {
		text += " " + usertext.Fill(texts.Because, "reason", why)
	}
	return text
}

const (
	maxReason = 500
	maxNames  = 10
)
