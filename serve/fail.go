package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/store"
)

// An Error is why a request is refused: by the handler, by a route of [Handler.Handle],
// or by [Options].Caller.
type Error struct {
	Status  int
	Code    string        // for programs
	Message string        // for the client
	Retry   time.Duration // after which the request can be sent again; 0 means unknown
	Err     error         // for the log; nil if there is no more to say
}

// Error returns the message with the cause.
func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %v", e.Message, e.Err)
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// badRequest is the error of a body that cannot be used.
func badRequest(format string, args ...any) error {
	return &Error{Status: http.StatusBadRequest, Code: "invalid_request", Message: clip(fmt.Sprintf(format, args...))}
}

// decode decodes a body into a value that has all its members.
func decode(body []byte, into any) error {
	if err := strictjson.Decode(body, into); err != nil {
		return badRequest("the body must be JSON as package serve of qed documents it: %s", problem(err))
	}
	return nil
}

// problem describes an error in JSON without the terms of Go.
func problem(err error) string {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok || wrong.Field == "" {
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	want := "an object"
	switch wrong.Type.Kind() {
	case reflect.String:
		want = "a text"
	case reflect.Bool:
		want = "true or false"
	case reflect.Slice:
		want = "a list"
	case reflect.Int, reflect.Float64:
		want = "a number"
	}
	value, _, _ := strings.Cut(wrong.Value, " ") // the rest is the number itself
	return fmt.Sprintf("%s must be %s, not: %s", wrong.Field, want, value)
}

// maxClipped limits a text of a client in a log line or in the text of an error.
const maxClipped = 500

// clip returns the beginning of a text that a client chose.
func clip(text string) string { return prompt.Clip(text, maxClipped) }

func checkIDs(ctx context.Context, turn qed.Turn) error {
	if turn.Thread != "" {
		if err := store.CheckConversation(turn.Thread); err != nil {
			return failure(failed(ctx, qed.Turn{}, err), http.StatusBadRequest)
		}
	}
	if turn.ID != "" && store.CheckThread(turn.ID) != nil { // it has the same form
		return failure(failed(ctx, qed.Turn{}, qed.ErrInvalidTurnID), http.StatusBadRequest)
	}
	if turn.ID != "" && turn.Thread == "" {
		return badRequest("a message with an id needs the id of a conversation: without one, " +
			"the same message cannot be recognized when it is sent again")
	}
	return nil
}

// check refuses a caller whose ids cannot be those of a user and a tenant.
func (c Caller) check() error {
	err := store.CheckHeader(&store.Header{User: c.User, Tenant: c.Tenant})
	if err != nil || !utf8.ValidString(c.User) || !utf8.ValidString(c.Tenant) {
		return badRequest("user_id and company_id may have at most 500 bytes of valid UTF-8")
	}
	return nil
}

// refuse writes an error as the response. The body has the form of OpenAI's
// errors, which contains what other clients read.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	e, ok := errors.AsType[*Error](err)
	if down, failed := errors.AsType[*storeError](err); failed && !ok {
		e, ok = down.http(), true
	}
	if !ok {
		e = &Error{Err: err}
	}
	if e.Message == "" {
		f := failed(r.Context(), qed.Turn{}, e.Err)
		e = &Error{Status: cmp.Or(e.Status, statusOf(f.Code)), Code: f.Code, Message: f.Message, Err: e.Err}
	}
	if e.Err != nil && r.Context().Err() == nil { // otherwise the client has left
		h.opt.Logger.WarnContext(r.Context(), "serve: a request was refused",
			"path", clip(r.URL.Path), "status", e.Status, "error", e.Err)
	}
	if e.Retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.Retry.Seconds()))))
	}
	drained(w, r, func() {
		writeJSON(w, e.Status, map[string]any{"error": errorBody{e.Message, e.kind(), e.Code}})
	})
}

// errorBody is an error in the form of OpenAI's API.
type errorBody struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Code    string `json:"code,omitempty"`
}

func (e *Error) kind() string {
	if e.Status >= 500 {
		return "server_error"
	}
	return "invalid_request_error"
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil { // not reached: the values are our own
		status, body = http.StatusInternalServerError, []byte(`{}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may have left
}

// failed returns the event of a turn that failed with err, with its text for the
// user.
func failed(ctx context.Context, turn qed.Turn, err error) qed.Failed {
	f := qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return qed.Answer{}, err })
	for e := range f.Run(context.WithoutCancel(ctx), turn) {
		if failed, ok := e.Data.(qed.Failed); ok {
			return failed
		}
	}
	return qed.Failed{} // not reached
}

// rejections are the codes of turns that did not begin, with their status.
var rejections = map[string]int{
	"busy":              http.StatusConflict,
	"turn_running":      http.StatusConflict,
	"turn_given_up":     http.StatusConflict,
	"turn_reused":       http.StatusUnprocessableEntity,
	"invalid_turn_id":   http.StatusBadRequest,
	"conflict":          http.StatusConflict,
	"question_closed":   http.StatusConflict,
	"question_answered": http.StatusConflict,
	"wrong_user":        http.StatusForbidden,
	"invalid_reply":     http.StatusUnprocessableEntity,
	"invalid_thread":    http.StatusBadRequest,
	"empty_turn":        http.StatusBadRequest,
	codeStore:           http.StatusServiceUnavailable,
	"message_too_long":  http.StatusRequestEntityTooLarge,
}

// rejection returns the response to a turn whose first event is e, if the turn did
// not begin.
func rejection(e qed.Event) (*Error, bool) {
	f, ok := e.Data.(qed.Failed)
	status := rejections[f.Code]
	if !ok || status == 0 {
		return nil, false
	}
	return failure(f, status), true
}

func failure(f qed.Failed, status int) *Error {
	e := &Error{Status: status, Code: f.Code, Message: f.Message}
	if !f.RetryAt.IsZero() {
		e.Retry = max(time.Until(f.RetryAt), time.Second)
	}
	return e
}

// statusOf returns the status of a turn that failed when it is not streamed.
func statusOf(code string) int {
	switch {
	case rejections[code] != 0:
		return rejections[code]
	case code == "timeout", code == "model_timeout":
		return http.StatusGatewayTimeout
	case code == "model_rate_limit", code == "model_unavailable", code == "canceled":
		return http.StatusServiceUnavailable
	case strings.HasPrefix(code, "model_"):
		return http.StatusBadGateway
	}
	return http.StatusInternalServerError
}
