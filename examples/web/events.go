package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

// A keeper is an agent that saves what the page shows of a turn besides its answer: the
// events of its timeline, its plan and its findings, and all rows of its table. They are
// in a thread of their own for each conversation, so that the page can show the turns
// again after a reload.
type keeper struct {
	qed.Agent
	store store.Store
}

// storeTimeout is how long a turn waits until an event is saved.
const storeTimeout = 5 * time.Second

// kindEvent is the kind of the records with an event.
const kindEvent store.Kind = "event"

// eventsOf returns the thread with the events of a conversation. Each user has
// conversations of their own.
func eventsOf(tenant, user, conversation string) string {
	name, _ := json.Marshal([]string{tenant, user, conversation}) // strings have a JSON form
	return fmt.Sprintf("%sweb/%x", store.Reserved, sha256.Sum256(name))
}

// Run runs the agent. An event is saved before the page gets it.
func (k keeper) Run(ctx context.Context, turn qed.Turn) iter.Seq2[qed.Event, error] {
	return func(yield func(qed.Event, error) bool) {
		began := store.Record{Time: time.Now(), Kind: store.Began, Data: said(turn), Header: &store.Header{
			User: turn.User, Tenant: turn.Tenant, Status: store.StatusAttached,
		}}
		recs := []store.Record{began} // saved with the first event: a refused turn has none
		keeps := turn.Thread != ""
		for e, err := range k.Agent.Run(ctx, turn) {
			if kept, ok := toKeep(e); ok && keeps {
				if failed := k.keep(ctx, eventsOf(turn.Tenant, turn.User, turn.Thread), kept, recs); failed != nil {
					keeps = false // the others would belong to the turn before
					slog.WarnContext(ctx, "The events of a turn are not saved", "thread", turn.Thread, "error", failed)
				}
				recs = nil
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// said returns what the user said, as JSON.
func said(turn qed.Turn) json.RawMessage {
	texts := []string{turn.Text}
	if len(turn.Replies) > 0 {
		texts = nil
	}
	for _, r := range turn.Replies {
		texts = append(texts, r.Text())
	}
	raw, _ := json.Marshal(strings.Join(texts, "\n")) // a text has a JSON form
	return raw
}

// toKeep returns the event that is saved for an event of the agent, if there is one.
func toKeep(e qed.Event) (qed.Event, bool) {
	switch d := e.Data.(type) {
	case qed.Completed:
		if d.Answer.Table == nil {
			return e, false
		}
		return qed.Event{Time: time.Now(), Data: qed.Page{Number: 1, Table: *d.Answer.Table}}, true
	case qed.Token, qed.Page, qed.NodeStarted, qed.NodeFinished, qed.EdgeTaken, qed.ToolFinished, qed.Interrupted, qed.Failed:
		return e, false
	}
	return e, true
}

// keep appends records and an event to those of a conversation. It tries again if another
// process, which was taken for dead, appends too. It does not end with the turn's context,
// so a turn that is stopped keeps its events.
func (k keeper) keep(ctx context.Context, thread string, e qed.Event, recs []store.Record) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	recs = append(recs, store.Record{Time: e.Time, Kind: kindEvent, Data: data})
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	for {
		head := int64(0)
		for rec, err := range k.store.Records(ctx, thread, store.Range{NewestFirst: true, Limit: 1}) {
			if err != nil {
				return err
			}
			head = rec.Seq
		}
		if err := k.store.Append(ctx, thread, head, recs...); !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}

// A keptTurn has the events of a turn, or of the part of it that a process ran.
type keptTurn struct {
	Began  time.Time         `json:"began"`
	Said   string            `json:"said"`   // by the user; empty for a turn that is resumed
	Events []json.RawMessage `json:"events"` // each is a [qed.Event]
}

// serve adds the route GET /events/{id} to the handler of the agent. It returns the kept
// turns of a conversation. A DELETE of the conversation deletes them too. The agent's
// handler decides who may read a conversation. caller returns who sends a request; nil
// means callers without an id.
func (k keeper) serve(agent http.Handler, caller func(*http.Request) serve.Caller) http.Handler {
	events := func(r *http.Request) string {
		c := serve.Caller{}
		if caller != nil {
			c = caller(r)
		}
		return eventsOf(c.Tenant, c.User, r.PathValue("id"))
	}
	mux := http.NewServeMux()
	mux.Handle("/", agent)
	mux.HandleFunc("GET /events/{id}", func(w http.ResponseWriter, r *http.Request) {
		if !mayRead(agent, r) {
			http.Error(w, "there is no such conversation", http.StatusNotFound)
			return
		}
		turns, err := k.turns(r.Context(), events(r))
		if err != nil {
			slog.ErrorContext(r.Context(), "The events of a conversation cannot be read", "error", err)
			http.Error(w, "the events cannot be read", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(turns) // the browser may have left
	})
	mux.HandleFunc("DELETE /conversations/{id}", func(w http.ResponseWriter, r *http.Request) {
		own := mayRead(agent, r)
		agent.ServeHTTP(w, r)
		if !own || mayRead(agent, r) {
			return
		}
		if err := k.store.Delete(context.WithoutCancel(r.Context()), events(r)); err != nil {
			slog.ErrorContext(r.Context(), "The events of a conversation cannot be deleted", "error", err)
		}
	})
	return mux
}

// turns returns what a thread has of the turns of a conversation, oldest first.
func (k keeper) turns(ctx context.Context, thread string) ([]keptTurn, error) {
	turns := []keptTurn{}
	for rec, err := range k.store.Records(ctx, thread, store.Range{}) {
		if err != nil {
			return nil, err
		}
		if rec.Kind == store.Began {
			turn := keptTurn{Began: rec.Time}
			if err := rec.Decode(&turn.Said); err != nil {
				return nil, err
			}
			turns = append(turns, turn)
		} else if n := len(turns) - 1; n >= 0 {
			turns[n].Events = append(turns[n].Events, rec.Data)
		}
	}
	return turns, nil
}

// mayRead reports whether the agent's handler lets the sender of a request read the
// conversation that its path names.
func mayRead(agent http.Handler, r *http.Request) bool {
	asked := r.Clone(r.Context())
	asked.Method, asked.Body, asked.ContentLength = http.MethodGet, http.NoBody, 0
	id := r.PathValue("id")
	asked.URL = &url.URL{Path: "/conversations/" + id, RawPath: "/conversations/" + url.PathEscape(id), RawQuery: "limit=1"}
	p := probe{header: http.Header{}}
	agent.ServeHTTP(&p, asked)
	return p.status == http.StatusOK
}

// A probe is a response of which only the status is used.
type probe struct {
	header http.Header
	status int
}

func (p *probe) Header() http.Header            { return p.header }
func (p *probe) Write(body []byte) (int, error) { return len(body), nil }
func (p *probe) WriteHeader(status int)         { p.status = status }
