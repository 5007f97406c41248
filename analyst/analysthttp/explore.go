package analysthttp

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/serve"
)

// exploreRequest is the body of a request to explore.
type exploreRequest struct {
	Session     string `json:"session"`
	Question    string `json:"question"`
	Description string `json:"dataDescription"`
	MaxSteps    int    `json:"maxSteps"`
	Language    string `json:"language"`

	// What clients know of the data is not used.
	Schema     json.RawMessage `json:"schema"`
	SampleData json.RawMessage `json:"sampleData"`
	RowCount   json.RawMessage `json:"rowCount"`
}

func (h *Handler) explore(ctx context.Context, c serve.Caller, w http.ResponseWriter, r *http.Request) error {
	var in exploreRequest
	if err := h.serve.ReadJSON(w, r, &in); err != nil {
		return err
	}
	if strings.TrimSpace(in.Question) == "" {
		return invalid("the question is empty")
	}
	if _, err := h.files.use(in.Session, owner{c.Tenant, c.User}); err != nil {
		return failure(err)
	}
	t := turn(in.Session, c)
	t.Text, t.Language = in.Question, in.Language
	ctx = analyst.WithRequest(ctx, analyst.Request{Description: in.Description, MaxSteps: in.MaxSteps})
	return h.answer(w, r, h.serve.Events(ctx, t), func(a qed.Answer) (any, error) { return explorationOf(a) })
}

// answer sends what of returns for the answer of a turn. A client that wants the events of
// the turn gets them before.
func (h *Handler) answer(
	w http.ResponseWriter, r *http.Request, events iter.Seq2[qed.Event, error], of func(qed.Answer) (any, error),
) error {
	outcome := func(e qed.Event, err error) (value any, ended bool, failed error) {
		switch d := e.Data.(type) {
		case qed.Completed:
			value, err := of(d.Answer)
			return value, true, err
		case qed.Failed:
			return nil, true, refused(d, err)
		}
		return e, false, nil
	}
	if streams(r) {
		h.serve.Stream(w, r, func(yield func(any) bool) {
			for e, err := range events {
				value, _, failed := outcome(e, err)
				if failed != nil {
					last := failedEvent{"error", http.StatusText(http.StatusInternalServerError), ""}
					if e, ok := errors.AsType[*serve.Error](failed); ok {
						last.Message, last.Code = e.Message, e.Code
					}
					value = last
				}
				if !yield(value) {
					return
				}
			}
		})
		return nil
	}
	for e, err := range events {
		switch value, ended, failed := outcome(e, err); {
		case failed != nil:
			return failed
		case ended:
			return respond(w, http.StatusOK, value)
		}
	}
	return nil
}

// failedEvent is the last event of a stream that failed.
type failedEvent struct {
	Status  string `json:"status"`
	Message string `json:"error"`
	Code    string `json:"code,omitempty"`
}

// exploration is an exploration as clients read and send it: rows have the names of
// their columns.
type exploration struct {
	analyst.Exploration
	ExecutedQueries []executedQuery `json:"executedQueries"`
}

type executedQuery struct {
	Query  string `json:"query"`
	Reason string `json:"reason"`
	Result rows   `json:"result"`
}

type rows struct {
	Columns   []string `json:"columns"`
	Rows      [][]any  `json:"rows"`
	Truncated bool     `json:"truncated,omitempty"`
}

func explorationOf(a qed.Answer) (*exploration, error) {
	e, err := analyst.ExplorationOf(a)
	if err != nil {
		return nil, err
	}
	return &exploration{Exploration: *e, ExecutedQueries: executed(e.ExecutedQueries)}, nil
}

// executed returns queries whose rows have the names of their columns.
func executed(queries []analyst.ExecutedQuery) []executedQuery {
	out := []executedQuery{}
	for _, q := range queries {
		one := executedQuery{q.Query, q.Reason, rows{[]string{}, q.Result.Rows, q.Result.Truncated}}
		for _, column := range q.Result.Columns {
			one.Result.Columns = append(one.Result.Columns, column.Name)
		}
		if one.Result.Rows == nil {
			one.Result.Rows = [][]any{}
		}
		out = append(out, one)
	}
	return out
}

// streams reports whether a client wants events.
func streams(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/event-stream")
}

func respond(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may have left
	return nil
}

func invalid(message string) error {
	return &serve.Error{Status: http.StatusBadRequest, Code: "invalid_request", Message: message}
}

// failure returns the error for what could not be done.
func failure(err error) error {
	switch {
	case errors.Is(err, errNoSession):
		return &serve.Error{Status: http.StatusNotFound, Code: "no_session", Message: errNoSession.Error()}
	case errors.Is(err, errTooManyFiles):
		return &serve.Error{Status: http.StatusTooManyRequests, Code: "too_many_files", Message: errTooManyFiles.Error()}
	case errors.Is(err, analyst.ErrTooManySessions):
		return &serve.Error{Status: http.StatusTooManyRequests, Code: "too_many_sessions",
			Message: "too many explorations are running: wait until one has ended"}
	case errors.Is(err, qed.ErrBusy):
		return &serve.Error{Status: http.StatusConflict, Code: "busy", Message: "the session is being explored"}
	}
	return err
}

// refused returns the error for a turn that failed.
func refused(f qed.Failed, err error) *serve.Error {
	if e, ok := errors.AsType[*serve.Error](failure(err)); ok {
		return e
	}
	return serve.Failure(f)
}
