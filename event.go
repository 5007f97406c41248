package qed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"sync"
	"time"

	"github.com/qedkit/qed/internal/strictjson"
)

// An Event is something that happened while an [Agent] worked. A type switch tells the
// kinds apart. They are values: a case of a pointer compiles and never matches.
//
//	switch d := event.Data.(type) {
//	case qed.QueryExecuted:
//		log.Print(d.Query)
//	case qed.Completed: // not *qed.Completed
//		fmt.Println(d.Answer.Text)
//	}
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
//     [QueryEstimated], [QueryRefused], [QueryExecuted], [QueryEmpty], [Page],
//     [Retrieved]
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
		TablesSelected{}, JoinPlanned{}, QueryWritten{}, QueryRewritten{}, QueryEstimated{}, QueryRefused{},
		QueryExecuted{}, QueryEmpty{}, IntentClassified{}, QuestionRewritten{}, Planned{}, TaskStarted{},
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
	return t != nil && t.Kind() != reflect.Pointer && (t == reflect.TypeFor[CustomEvent]() || t == eventTypes[d.kind()])
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
		q := newQueue(ctx)
		defer func() {
			cancel(errReaderStopped)
			q.leave()
		}()
		go func() {
			defer q.finish()
			growStack()
			around := &scope{frame: outside.frame, place: scopeOf(ctx).place}
			within := around.agentScope(run, &turn, q)
			defer func() { scopeOf(ctx).spending.add(within.spending.total()) }()
			a, err := answer(within, f)
			if q.err = err; err == nil {
				q.last = Completed{Answer: a, Millis: time.Since(q.began).Milliseconds()}
			}
		}()
		var taken [maxUnread / 4]Event
		for n := q.take(taken[:]); n > 0; n = q.take(taken[:]) {
			for i := range n {
				if !yield(taken[i], nil) {
					return
				}
			}
		}
		now := clock(ctx)()
		if q.err != nil {
			q.last = textTable.In(ctx, languageOf(turn)).failed(q.err, ctx.Err(), now)
		}
		yield(Event{Time: now, Data: q.last}, q.err)
	}
}

// growStack makes the stack of a new goroutine as large as most runs need. It is empty now:
// later it would grow, and be copied, in the middle of a run, which takes longer than a node.
//
//go:noinline
func growStack() {
	var room [6 << 10]byte
	runtime.KeepAlive(&room)
}

// A queue passes the events of a run to their reader, and then how the run ended. It
// is bounded: see [Emit].
type queue struct {
	clock func() time.Time // of [WithClock]; nil if there is none
	began time.Time

	mu     sync.Mutex
	ready  sync.Cond         // the reader waits for events, or for the end of the run
	space  sync.Cond         // goroutines of the run wait for the reader
	events *[maxUnread]Event // a ring
	first  int               // the index of the oldest unread event
	unread int
	left   bool // the reader has left
	done   bool // the run has ended

	// Set before the end of the run.
	last EventData // [Completed]
	err  error
}

const maxUnread = 64

// rings has the memory of queues whose run has ended.
var rings = sync.Pool{New: func() any { return new([maxUnread]Event) }}

func newQueue(ctx context.Context) *queue {
	q := &queue{events: rings.Get().(*[maxUnread]Event), began: time.Now(), err: errGoexit}
	q.clock, _ = ctx.Value(clockKey{}).(func() time.Time)
	q.ready.L, q.space.L = &q.mu, &q.mu
	return q
}

// now returns the time of an event. Without a clock it is what time.Now returns;
// time.Since takes half as long.
func (q *queue) now() time.Time {
	if q.clock != nil {
		return q.clock()
	}
	return q.began.Add(time.Since(q.began))
}

// add waits until the reader can take the event, has left, or the run has ended.
func (q *queue) add(event *Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.unread == maxUnread && !q.left && !q.done {
		q.space.Wait()
	}
	if q.left || q.done {
		return
	}
	q.events[(q.first+q.unread)%maxUnread] = *event
	q.unread++
	if q.unread == 1 {
		q.ready.Signal()
	}
}

// take waits for events, moves them to taken, and returns their number. It returns 0
// when the run has ended and all its events were taken.
func (q *queue) take(taken []Event) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.unread == 0 && !q.done {
		q.ready.Wait()
	}
	oldest := q.events[q.first:min(q.first+q.unread, maxUnread)]
	n := copy(taken, oldest)
	clear(oldest[:n])
	q.first, q.unread = (q.first+n)%maxUnread, q.unread-n
	q.space.Broadcast()
	return n
}

// finish is called when the run has ended.
func (q *queue) finish() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.done = true
	q.ready.Signal()
	q.space.Broadcast()
}

// leave is called when the reader has left. It waits for the end of the run.
func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.left = true
	q.space.Broadcast()
	for !q.done {
		q.ready.Wait()
	}
	if q.unread > 0 {
		clear(q.events[:])
	}
	rings.Put(q.events)
	q.events = nil
}
