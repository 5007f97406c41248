package qed

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/qedkit/qed/internal/strictjson"
)

// An Event is something that happened while an [Agent] worked.
//
// Its JSON form is {"event": kind, "path": path, "data": {...}}. It reads back strictly: an event of a known kind with
// a field that the kind does not have is an error. An event of an unknown kind reads as [CustomEvent].
type Event struct {
	// Path says where it happened: the names of nodes, branches and tools from the outside in, such as "sql/execute".
	// It is empty for the agent as a whole.
	Path string

	Data EventData
}

// EventData is what an [Event] tells: one of the structs of this package, held by value. What a host wants to tell
// beside them is an [CustomEvent].
type EventData interface {
	kind() string
}

// isOurs reports whether d is one of the structs of this package, by value. A pointer to one, and a struct that embeds one,
// have their methods too.
func isOurs(d EventData) bool {
	switch d.(type) {
	case NodeStarted, NodeFinished, RouteDecision, ToolStarted, ToolFinished, TablesSelected, JoinPlanned, QueryWritten,
		QueryRewritten, QueryRefused, QueryCorrected, QueryExecuted, IntentClassified, QuestionRewritten, Planned,
		TaskStarted, TaskFinished, Page, Retrieved, Token, Interrupted, QuestionClosed, MemoryIncomplete, SaveFailed, StateDiscarded,
		Completed, Failed, CustomEvent:
		return true
	}
	return false
}

// readers reads the data of every kind but Other.
var readers = map[string]func([]byte) (EventData, error){
	NodeStarted{}.kind():       readData[NodeStarted],
	NodeFinished{}.kind():      readData[NodeFinished],
	RouteDecision{}.kind():     readData[RouteDecision],
	ToolStarted{}.kind():       readData[ToolStarted],
	ToolFinished{}.kind():      readData[ToolFinished],
	TablesSelected{}.kind():    readData[TablesSelected],
	JoinPlanned{}.kind():       readData[JoinPlanned],
	QueryWritten{}.kind():      readData[QueryWritten],
	QueryRewritten{}.kind():    readData[QueryRewritten],
	QueryRefused{}.kind():      readData[QueryRefused],
	QueryCorrected{}.kind():    readData[QueryCorrected],
	QueryExecuted{}.kind():     readData[QueryExecuted],
	IntentClassified{}.kind():  readData[IntentClassified],
	QuestionRewritten{}.kind(): readData[QuestionRewritten],
	Planned{}.kind():           readData[Planned],
	TaskStarted{}.kind():       readData[TaskStarted],
	TaskFinished{}.kind():      readData[TaskFinished],
	Page{}.kind():              readData[Page],
	Retrieved{}.kind():         readData[Retrieved],
	Token{}.kind():             readData[Token],
	Interrupted{}.kind():       readData[Interrupted],
	QuestionClosed{}.kind():    readData[QuestionClosed],
	MemoryIncomplete{}.kind():  readData[MemoryIncomplete],
	SaveFailed{}.kind():        readData[SaveFailed],
	StateDiscarded{}.kind():    readData[StateDiscarded],
	Completed{}.kind():         readData[Completed],
	Failed{}.kind():            readData[Failed],
}

func readData[D EventData](raw []byte) (EventData, error) {
	var d D
	if err := strictjson.Decode(raw, &d); err != nil {
		return nil, err
	}
	return d, nil
}

// Kind is the name of e's data in JSON, such as "token"; empty where there is no data.
func (e Event) Kind() string {
	if e.Data == nil {
		return ""
	}
	return e.Data.kind()
}

// MarshalJSON writes e. An event without Data, or with one that is no struct of this package, and an [CustomEvent] that takes a
// name of this package, are errors.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.Data == nil {
		return nil, errors.New("qed: an event without data cannot be written")
	}
	if !isOurs(e.Data) {
		return nil, fmt.Errorf("qed: an event cannot be written of a %T: hold a struct of package qed by value", e.Data)
	}
	out := struct {
		Kind string `json:"event"`
		Path string `json:"path"`
		Data any    `json:"data"`
	}{e.Data.kind(), e.Path, e.Data}
	if other, ok := e.Data.(CustomEvent); ok {
		if _, known := readers[other.Kind]; known || other.Kind == "" {
			return nil, fmt.Errorf("qed: an event of the host's own cannot be of kind %q", other.Kind)
		}
		if len(other.JSON) == 0 {
			return nil, fmt.Errorf("qed: event %q has no JSON", other.Kind)
		}
		out.Data = other.JSON
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what [Event.MarshalJSON] writes.
func (e *Event) UnmarshalJSON(raw []byte) error {
	var in struct {
		Kind string          `json:"event"`
		Path string          `json:"path"`
		Data json.RawMessage `json:"data"`
	}
	if err := strictjson.Decode(raw, &in); err != nil {
		return fmt.Errorf("qed: event: %w", err)
	}
	if in.Kind == "" || in.Data == nil {
		return errors.New(`qed: an event needs "event" and "data"`)
	}
	read, known := readers[in.Kind]
	if !known {
		*e = Event{in.Path, CustomEvent{in.Kind, in.Data}}
		return nil
	}
	if in.Data[0] != '{' {
		return fmt.Errorf("qed: event %q: its data must be an object", in.Kind)
	}
	data, err := read(in.Data)
	if err != nil {
		return fmt.Errorf("qed: event %q: %w", in.Kind, err)
	}
	*e = Event{in.Path, data}
	return nil
}
