package qed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"time"

	"github.com/qedkit/qed/internal/strictjson"
)

// An Event is something that happened while an [Agent] worked.
//
// Its JSON form is {"event": kind, "path": path, "time": time, "data": {...}}.
// Decoding is strict: an event of a known kind must not have members that the
// kind does not have. An event of an unknown kind becomes a [CustomEvent].
type Event struct {
	// Path says where it happened: the names of nodes, branches and tools from
	// the outside in, such as "sql/execute". It is empty for the agent itself.
	Path string

	// Call is the id of the innermost call of a tool that it happened in: calls of
	// one tool at the same time have the same Path. It is not part of the JSON form.
	Call string

	// Time is when the event was emitted, by the clock of the run ([WithClock]).
	Time time.Time

	Data EventData
}

// EventData is the data of an [Event]: one of these structs, by value.
//
//   - the run: [NodeStarted], [NodeFinished], [EdgeTaken], [RouteDecision],
//     [Warning], and as the last event [Completed] or [Failed]
//   - tools: [ToolStarted], [ToolFinished]
//   - queries: [TablesSelected], [JoinPlanned], [QueryWritten], [QueryRewritten],
//     [QueryRefused], [QueryExecuted], [Page], [Retrieved]
//   - plans: [IntentClassified], [QuestionRewritten], [Planned], [TaskStarted],
//     [TaskFinished]
//   - questions to the user: [Interrupted], [QuestionClosed]
//   - text of the answer, while it is written: [Token]
//   - events of your own: [CustomEvent]
type EventData interface {
	kind() string
}

// eventTypes has the structs that are [EventData], by their kind.
var eventTypes = func() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, d := range []EventData{
		NodeStarted{}, NodeFinished{}, EdgeTaken{}, RouteDecision{}, ToolStarted{}, ToolFinished{},
		TablesSelected{}, JoinPlanned{}, QueryWritten{}, QueryRewritten{}, QueryRefused{},
		QueryExecuted{}, IntentClassified{}, QuestionRewritten{}, Planned{}, TaskStarted{},
		TaskFinished{}, Page{}, Retrieved{}, Token{}, Interrupted{}, QuestionClosed{}, Warning{},
		Completed{}, Failed{},
	} {
		types[d.kind()] = reflect.TypeOf(d)
	}
	return types
}()

// isOurs reports whether d is one of the structs of this package, by value. A
// pointer to one, or a struct that embeds one, has the method too.
func isOurs(d EventData) bool {
	t := reflect.TypeOf(d)
	if t == nil || t.Kind() == reflect.Pointer {
		return false
	}
	return t == reflect.TypeFor[CustomEvent]() || t == eventTypes[d.kind()]
}

// Kind returns the name of e's data in JSON, such as "token". It is empty if e
// has no data.
func (e Event) Kind() string {
	if e.Data == nil {
		return ""
	}
	return e.Data.kind()
}

// eventJSON is the form of an Event in JSON.
type eventJSON struct {
	Kind string          `json:"event"`
	Path string          `json:"path"`
	Time time.Time       `json:"time,omitzero"`
	Data json.RawMessage `json:"data"`
}

// MarshalJSON returns an error if e has no data, if its data is not a struct of
// this package, or if a [CustomEvent] has a kind of this package.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.Data == nil {
		return nil, errors.New("qed: an event without data has no JSON: set Event.Data")
	}
	if !isOurs(e.Data) {
		return nil, fmt.Errorf("qed: an event with data of type %T has no JSON: "+
			"use a struct of package qed, by value", e.Data)
	}
	out := eventJSON{Kind: e.Data.kind(), Path: e.Path, Time: e.Time}
	custom, ok := e.Data.(CustomEvent)
	if !ok {
		var err error
		if out.Data, err = json.Marshal(e.Data); err != nil {
			return nil, err
		}
		return json.Marshal(out)
	}
	if eventTypes[custom.Kind] != nil || custom.Kind == "" {
		return nil, fmt.Errorf("qed: a CustomEvent cannot have the kind %q: "+
			"choose one that package qed does not use", custom.Kind)
	}
	if len(custom.JSON) == 0 {
		return nil, fmt.Errorf("qed: the CustomEvent %q has no JSON: set CustomEvent.JSON", custom.Kind)
	}
	out.Data = custom.JSON
	return json.Marshal(out)
}

// UnmarshalJSON reads what [Event.MarshalJSON] returns.
func (e *Event) UnmarshalJSON(raw []byte) error {
	var in eventJSON
	if err := strictjson.Decode(raw, &in); err != nil {
		return fmt.Errorf("qed: event: %w", err)
	}
	if in.Kind == "" || in.Data == nil {
		return errors.New(`qed: an event needs the members "event" and "data"`)
	}
	out := Event{Path: in.Path, Time: in.Time}
	t := eventTypes[in.Kind]
	if t == nil {
		out.Data = CustomEvent{Kind: in.Kind, JSON: in.Data}
		*e = out
		return nil
	}
	if in.Data[0] != '{' {
		return fmt.Errorf("qed: event %q: its data must be an object", in.Kind)
	}
	data := reflect.New(t)
	if err := strictjson.Decode(in.Data, data.Interface()); err != nil {
		return fmt.Errorf("qed: event %q: %w", in.Kind, err)
	}
	out.Data = data.Elem().Interface().(EventData)
	*e = out
	return nil
}

// stream runs f on a goroutine of its own and yields its events on the caller's
// goroutine. So a panic of the reader is not recovered by a node, and events of
// several goroutines are yielded one by one. The goroutine ends before the range
// does.
func stream(ctx context.Context, turn Turn, f AgentFunc) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		run, cancel := context.WithCancelCause(ctx)
		q := &queue{events: make(chan Event, maxUnread), left: make(chan struct{}), done: make(chan struct{})}
		defer func() {
			cancel(errReaderStopped)
			close(q.left)
			<-q.done
		}()
		began := time.Now()
		a, err := Answer{}, errGoexit
		go func() {
			defer close(q.done)
			outside := &scope{frame: &frame{}, place: scopeOf(ctx).place}
			a, err = answer(outside.agentScope(run, turn, q), f)
		}()
		for event, ok := q.next(); ok; event, ok = q.next() {
			if !yield(event, nil) {
				return
			}
		}
		now := clock(ctx)()
		if err != nil {
			yield(Event{Time: now, Data: textsOf(ctx, languageOf(turn)).failed(err, ctx.Err(), now)}, err)
			return
		}
		millis := time.Since(began).Milliseconds()
		yield(Event{Time: now, Data: Completed{Answer: a, Millis: millis}}, nil)
	}
}

// A queue passes the events of a run to their reader. It is bounded: see [Emit].
type queue struct {
	events chan Event
	left   chan struct{} // closed when the reader has left
	done   chan struct{} // closed when the run has ended
}

const maxUnread = 64

// add waits until the reader can take the event, has left, or the run has ended.
func (q *queue) add(event Event) {
	select {
	case <-q.left:
		return
	case <-q.done:
		return
	default:
	}
	select {
	case q.events <- event:
	case <-q.left:
	case <-q.done:
	}
}

// next waits for an event. It reports false when the run has ended and all its
// events were returned.
func (q *queue) next() (Event, bool) {
	select {
	case event := <-q.events:
		return event, true
	case <-q.done:
	}
	select {
	case event := <-q.events:
		return event, true
	default:
		return Event{}, false
	}
}
