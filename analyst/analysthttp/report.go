package analysthttp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/serve"
)

// reportRequest is the body of a request for a report.
type reportRequest struct {
	Session  string          `json:"session"`
	Question string          `json:"question"`
	Language string          `json:"language"`
	Results  json.RawMessage `json:"explorationResults"` // an exploration, or a list of them

	// Of older clients.
	History []struct {
		Query  string          `json:"query"`
		SQL    string          `json:"sql"`
		Reason string          `json:"reason"`
		Result json.RawMessage `json:"result"` // not used
	} `json:"sqlHistory"`
	Charts []analyst.Chart `json:"charts"`

	Schema json.RawMessage `json:"schema"` // not used
}

// reported is the response.
type reported struct {
	Report   string          `json:"report"`
	Charts   []analyst.Chart `json:"charts"`
	Figures  []qed.Figure    `json:"figures"`
	Unproved []string        `json:"unproved"`
	Omitted  []string        `json:"omitted"`

	// ExecutedQueries are those of all explorations, with the rows that the report is
	// about.
	ExecutedQueries []executedQuery `json:"executedQueries"`
}

func (h *Handler) report(ctx context.Context, c serve.Caller, w http.ResponseWriter, r *http.Request) error {
	var in reportRequest
	if err := h.serve.ReadJSON(w, r, &in); err != nil {
		return err
	}
	sent, err := in.explorations()
	if err != nil {
		return err
	}
	t := turn(in.Session, c)
	if _, err := h.files.use(in.Session, owner{c.Tenant, c.User}); err != nil {
		return failure(err)
	}
	out := &reported{Charts: []analyst.Chart{}, Figures: []qed.Figure{}, Unproved: []string{}, Omitted: []string{}}
	checked, omitted, err := h.analyst.Rerun(ctx, t, sent...)
	if err != nil {
		return failure(err)
	}
	out.Omitted = append(out.Omitted, omitted...)
	// The report is an agent for the time of a request, so that its text can be streamed
	// and its errors are those of a turn.
	agent := h.opt.Record("report", qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		written, err := h.analyst.Report(ctx, checked...)
		if err != nil {
			return qed.Answer{}, err
		}
		out.Report = written.Markdown
		out.Charts = append(out.Charts, written.Charts...)
		out.Figures = append(out.Figures, written.Figures...)
		out.Unproved = append(out.Unproved, written.Unproved...)
		out.ExecutedQueries = executed(written.Queries)
		return qed.Answer{Text: written.Markdown}, nil
	}))
	events := func(yield func(qed.Event, error) bool) {
		for e, err := range agent.Run(ctx, t) {
			if _, failed := e.Data.(qed.Failed); failed {
				h.opt.Serve.Logger.ErrorContext(ctx, "analysthttp: a report failed", "session", t.Thread, "error", err)
			}
			if !yield(e, err) {
				return
			}
		}
	}
	return h.answer(w, r, events, func(qed.Answer) (any, error) { return out, nil })
}

// explorations returns what the client sent as explorations.
func (in *reportRequest) explorations() ([]*analyst.Exploration, error) {
	raw := bytes.TrimSpace(in.Results)
	var sent []exploration
	switch {
	case len(raw) == 0 || string(raw) == "null":
		legacy := exploration{Exploration: analyst.Exploration{Question: in.Question, Charts: in.Charts}}
		for _, q := range in.History {
			legacy.ExecutedQueries = append(legacy.ExecutedQueries, executedQuery{Query: q.Query + q.SQL, Reason: q.Reason})
		}
		if len(in.History) == 0 && len(in.Charts) == 0 {
			return nil, invalid("there is nothing to report: send explorationResults or sqlHistory")
		}
		sent = append(sent, legacy)
	case raw[0] == '[':
		if err := json.Unmarshal(raw, &sent); err != nil || len(sent) == 0 {
			return nil, invalid("explorationResults is not a list of explorations")
		}
	default:
		sent = make([]exploration, 1)
		if err := json.Unmarshal(raw, &sent[0]); err != nil {
			return nil, invalid("explorationResults is not an exploration")
		}
	}
	if len(sent) > maxExplorations {
		return nil, invalid("there are too many explorations")
	}
	var out []*analyst.Exploration
	for _, s := range sent {
		e := s.Exploration
		e.Question = cmp.Or(e.Question, in.Question)
		if in.Language != "" {
			e.Language = in.Language
		}
		e.ExecutedQueries = nil
		for _, q := range s.ExecutedQueries {
			e.ExecutedQueries = append(e.ExecutedQueries, analyst.ExecutedQuery{Query: q.Query, Reason: q.Reason})
		}
		out = append(out, &e)
	}
	return out, nil
}

// maxExplorations is how many explorations a report is about at most.
const maxExplorations = 20
