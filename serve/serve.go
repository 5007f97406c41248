// Package serve has an HTTP handler for agents. It streams the events of a turn in
// the formats that front ends understand.
//
//	err := http.ListenAndServe("localhost:8080", serve.New(agent, nil))
//
// It has these paths. To serve them below another path, use [http.StripPrefix].
//
//	POST /internal/chat/stream     server-sent events with flat fields, see below
//	POST /api/chat                 the UI message stream of the AI SDK (useChat)
//	POST /agui                     AG-UI
//	POST /v1/chat/completions      OpenAI chat completions
//	GET  /v1/models                the one model of OpenAI clients, "qed"
//	GET  /conversations            the conversations of the caller
//	GET  /conversations/{id}       the turns and the open questions of a conversation
//	DELETE /conversations/{id}     deletes a conversation
//
// The paths of conversations need [Options].Store. With [Options].Rejoin a turn
// continues when its reader leaves. Its events can be read again, from any process
// with the same store, at paths with the id of the conversation:
//
//	GET    /internal/chat/stream/{id}   the events of the conversation's last turn
//	GET    /api/chat/{id}/stream        the same, where useChat resumes a stream
//	GET    /agui/{id}                   the same for AG-UI
//	DELETE on these paths               stops the turn
//
// A GET with the header Last-Event-ID gets the events after that one. Without the
// header it gets all events of a turn that runs. The status is 204 if there is
// nothing to read: no turn runs, its last event was read, or the caller has no such
// conversation.
//
// A refused request gets an error status, and a body in the form of OpenAI's errors.
// If the request can be sent again later, the header Retry-After says when. Up to 64 MiB
// of a body are read after the response, for 30 seconds, so that a client that sends all
// of it first gets the response:
//
//	{"error": {"message": "..", "type": "..", "code": ".."}}
//
// # A store that is down
//
// A store may fail, hang, or ignore its contexts. A turn waits about 5 seconds for it
// and is then answered without it. The turns after it wait a second, until the store
// works again.
// Other requests that need the store get status 503 with the code
// "store_unavailable", after 15 seconds at the latest. A reader waits 15 seconds for
// the store to come back. Then it gets an error with this code as its last event. This
// event has no id, so a GET with the id of the event before it continues the stream.
//
// # Chat
//
// The body of a request to /internal/chat/stream is
//
//	{
//	  "input": {"id": "..", "message": "..", "replies": [{"question": "id", "value": ..}]},
//	  "conversation": {"id": "..", "user_id": "..", "company_id": ".."}
//	}
//
// Only the message is required.
//
//   - conversation.id is chosen by the client. Without one, the turn belongs to no
//     conversation.
//   - conversation.user_id and company_id must be those of the [Caller]. If the Caller
//     is a Backend, they are the user and the company that the service has
//     authenticated.
//   - input.replies answer the questions of the previous turn.
//   - An empty message with the id of a conversation and without replies resumes a turn
//     that stopped, which needs [Options].Store. Any other empty message gets status 400.
//
// The events are
//
//	{"event": "route_decision", "route": "sql", "reason": ".."}
//	{"event": "tool_start", "tool": "sql_agent"}
//	{"event": "token", "channel": "final", "content": ".."}
//	{"event": "complete", "stats": {"tokens": 15, ..}, "final_answer": "..", ..}
//	{"event": "error", "message": "..", "code": "..", "retry_at": ".."}
//
// tool_start follows the choice of a route, with the name of the route and "_agent",
// and is sent for each call of a tool. The last event is complete or error. complete has
//
//	stats                  tokens, input_tokens, output_tokens, calls, cost and millis
//	final_answer           the text, which the tokens of the channel "final" have too
//	final_structured_data  the rows: [{"column": value, ..}, ..]; null if there are none
//	truncated              there were more rows
//	questions              the questions to the user, with id, text, kind and choices
//
// and the proof, with the names and the form of a [qed.Answer]. What does not apply is
// left out, except partial:
//
//	partial, partial_reason  the answer lacks something, or is doubtful, and why
//	queries                  each with written, executed, views, join_path, rows,
//	                         corrections, values, verified: the approved statement that
//	                         it is, empty: why it found nothing, meaning: what it
//	                         computes, checked: what was found out about that, for
//	                         users, and proof: the same for programs
//	citations                the passages that the text cites: title, location, excerpt
//	documents                documents that were found in an index
//	figures                  the numbers of the text, with the cells that they come from
//	unproved                 the numbers of the text that have no proof
//	audit                    how the text compares with the sources that it cites
//	dates                    the periods of the question, and whether they were read
//	used                     examples, values, notes and definitions of the prompts
//	not_found                the sources do not answer the question
//
// # Sending a message again
//
// A connection may end before the answer comes. In a conversation of a durable agent, a
// message with the same id is the same turn, in every process that has the store: it is
// never answered twice. The id has at most 256 bytes, and needs the id of a conversation.
// It is the value of the header Idempotency-Key or else, in the formats above, input.id,
// the id of the last message of useChat, the runId, or metadata.turn_id of chat
// completions. A message without an id is a new turn.
//
//   - While the turn runs, its events are sent from the first one on with
//     [Options].Rejoin. Without Rejoin the status is 409 with the code "turn_running"
//     and the header Retry-After.
//   - When it has ended, the answer is the one that was saved, and nothing runs again.
//     A long table may have its first rows only.
//   - When it has failed, or its process has died, it is resumed: calls that were made
//     are not made again. If a later turn has begun meanwhile, the status is 409 with
//     the code "turn_given_up".
//   - With another text, the status is 422 with the code "turn_reused".
//
// The same reply to a question that was answered is the same turn, too, and needs no
// id. Another reply to it gets status 409 with the code "question_answered".
//
// # Editing a conversation
//
// The conversation follows the page of useChat and of AG-UI, by the ids of the messages
// of the user in the body ([qed.Turn].Shown). A message that is edited or answered again
// replaces the turn that it had and all later ones. If a page has removed messages, the
// next one replaces them. A page may send the last messages alone; removed ones are then
// known if an earlier message is sent too. A reply after which the agent has made a call
// that must not be made twice cannot be replaced: the status is 422 with the code
// "turn_reused". What the agent remembers about the user stays.
//
// A message that comes while a turn runs waits a second for its end, because the page
// may have stopped it. After that the status is 409 with the code "busy".
//
// # Conversations
//
// The ids of conversations are those of their user: every user has every id. An id has
// at most 200 bytes. Another one gets status 400.
//
// GET /conversations returns a page of the caller's conversations, the newest first.
// The query parameter limit is the size of the page, from 1 to 100, which is the
// default. To get the next page, send the value of next as the parameter after. The
// next of the last page is empty.
//
//	{"conversations": [{"id": "..", "title": "..", "status": "answered", "turns": 2,
//	  "created": "..", "updated": "..", "questions": [..]}, ..], "next": ".."}
//
// The questions are those that wait for a reply, such as approvals.
//
// GET /conversations/{id} returns the last turns, the oldest first. The query
// parameter limit is how many, from 1 to 100, which is the default.
//
//	{"id": "..", "status": "..", "turns": [{"id": "..", "message_id": "..", "time": "..",
//	  "message": "..", "replies": [{"question": {..}, "value": ..}], "status": "..", "answer": {..}}, ..],
//	  "questions": [..], "updated": ".."}
//
// # AI SDK
//
// The last message of the body is the message of the user. Of earlier
// messages the ids alone are read: the agent has its own memory. The calls of
// tools are dynamic tool parts, cited passages are sources, the complete
// [qed.Answer] is the part data-answer, and every other event is a part with its
// kind in the name, such as data-query_executed. The protocol cannot take back a text:
// a part with a text that the agent has discarded has discarded in its
// providerMetadata.qed, so that the page can leave it out.
//
// A question is a call of the client-side tool ask_user, with the
// [question.Question] as its input. The page answers it with addToolOutput, with
// the value of a [question.Reply] as the output, and sends the messages again,
// for example with sendAutomaticallyWhen.
//
// # AG-UI
//
// The messages are used as with the AI SDK. Questions are the interrupts of
// RUN_FINISHED, with the [question.Question] in their metadata. An entry of resume
// with the status resolved has the value of the reply as its payload. An entry with
// the status cancelled closes all open questions. The answer is the result of
// RUN_FINISHED, and every other event is CUSTOM with its kind as the name. A text that
// the agent has discarded stays a message, because the protocol cannot take it back: the
// event CUSTOM with the name discarded has its messageId.
//
// # OpenAI chat completions
//
// The messages before the last one are the history of the turn, because clients
// keep conversations themselves. If metadata has a conversation_id, the agent's
// own memory is used instead, and questions can be answered by the next message.
// Messages of the system and the developer become messages of the user. Sampling
// options are ignored, and tools of the client are refused. The model is called qed.
//
// # Access
//
// [Options].Caller authenticates requests. Without it the handler serves this
// machine only: it refuses other addresses, other values of the header Host, and
// requests that a proxy forwarded. Cross-site requests of browsers are refused in
// either case, unless [Options].CrossOrigin trusts their origin. The host
// sets headers for CORS.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/store"
)

// Options are the options of [New]. Nil and zero fields mean the defaults. The
// functions are called by several goroutines at once.
type Options struct {
	// Caller returns who sends a request, from what the host has verified, such
	// as a token or a session. It also returns the context of the turn, to which
	// it can add values for the agent, such as a budget; nil means the request's.
	// An error refuses the request with status 401, and is logged.
	//
	// Nil means that only requests from this machine are served, for a caller
	// without an id.
	Caller func(*http.Request) (context.Context, Caller, error)

	// CrossOrigin refuses cross-site requests of browsers. Nil means that no
	// other origin is trusted.
	CrossOrigin *http.CrossOriginProtection

	// Store is the store of the agent's conversations: the one that was given to
	// [qed.Durable]. Nil means that there are no lists of conversations.
	Store store.Store

	// Rejoin lets a turn of a conversation continue when its reader leaves, and be
	// read again.
	//
	//   - An event is sent after it was saved. While the Store fails, events are sent
	//     at once and saved later.
	//   - Store keeps the events of the last turn of each conversation, in a thread
	//     with [store.StatusAttached]. To leave these threads out of a list of your
	//     own, use [store.ThreadFilter].Statuses.
	//   - If the process of a turn dies or shuts down, and the agent is durable, the
	//     next reader in another process resumes the turn there.
	//
	// Without Rejoin or a Store, a turn ends when its reader leaves.
	Rejoin bool

	// TurnTimeout limits a turn. 0 or less means ten minutes.
	TurnTimeout time.Duration

	// Turns is how many turns each caller may begin in a second, and Burst how many at
	// once. 0 means 1 turn in a second, and 20 at once. [rate.Inf] means no limit.
	Turns rate.Limit
	Burst int

	// MaxStreams limits the requests that are answered at the same time. 0 or less
	// means 1,000.
	MaxStreams int

	// CallerStreams is MaxStreams for the requests of one caller. 0 or less means 100.
	CallerStreams int

	// Heartbeat is the time after which a comment is sent if there was no event.
	// The first one comes after a second at the latest, with status 200: a turn
	// that fails later sends its error as an event. 0 or less means 15 seconds.
	Heartbeat time.Duration

	// WriteTimeout is how long a reader may take to accept an event. A slower
	// reader is disconnected. 0 or less means 10 seconds.
	WriteTimeout time.Duration

	// Logger gets the errors that users do not see. Nil means [slog.Default].
	Logger *slog.Logger
}

func (o *Options) setDefaults() {
	o.TurnTimeout = cmp.Or(max(o.TurnTimeout, 0), 10*time.Minute)
	o.Turns = cmp.Or(max(o.Turns, 0), 1)
	o.Burst = cmp.Or(max(o.Burst, 0), 20)
	o.MaxStreams = cmp.Or(max(o.MaxStreams, 0), 1000)
	o.CallerStreams = cmp.Or(max(o.CallerStreams, 0), 100)
	o.Heartbeat = cmp.Or(max(o.Heartbeat, 0), 15*time.Second)
	o.WriteTimeout = cmp.Or(max(o.WriteTimeout, 0), 10*time.Second)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	o.CrossOrigin = cmp.Or(o.CrossOrigin, http.NewCrossOriginProtection())
}

// A Handler serves an agent. Make one with [New].
type Handler struct {
	agent  qed.Agent
	opt    Options
	mux    *http.ServeMux
	limits *limits
	store  *patientStore // nil without Options.Store

	mu      sync.Mutex
	turns   map[*liveTurn]bool
	threads map[threadKey]*liveTurn // the turns that have a conversation
	unsaved map[threadKey]*liveTurn // the turns that have ended with events that are not saved
	closing bool
	idle    chan struct{} // closed when the handler is closing and no turn is left
}

// New returns a handler that serves an agent. Nil options mean the defaults.
func New(agent qed.Agent, opt *Options) *Handler {
	h := &Handler{
		agent: agent, opt: option.Of(opt), mux: http.NewServeMux(), idle: make(chan struct{}),
		turns: map[*liveTurn]bool{}, threads: map[threadKey]*liveTurn{}, unsaved: map[threadKey]*liveTurn{},
	}
	h.opt.setDefaults()
	h.limits = newLimits(&h.opt)
	for path, f := range map[string]format{
		"/internal/chat/stream": chatFormat{}, "/api/chat": uiFormat{}, "/agui": aguiFormat{},
		"/v1/chat/completions": completionFormat{},
	} {
		h.mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) { h.post(w, r, f) })
	}
	h.handle("GET /v1/models", h.models)
	if h.opt.Store == nil {
		return h
	}
	h.store = &patientStore{store: h.opt.Store}
	h.handle("GET /conversations", quick(h.conversations))
	h.handle("GET /conversations/{id}", quick(h.conversation))
	h.handle("DELETE /conversations/{id}", quick(h.delete))
	if !h.opt.Rejoin {
		return h
	}
	for path, f := range map[string]format{
		"/internal/chat/stream/{id}": chatFormat{}, "/api/chat/{id}/stream": uiFormat{}, "/agui/{id}": aguiFormat{},
	} {
		h.handle("GET "+path, func(ctx context.Context, c Caller, w http.ResponseWriter, r *http.Request) error {
			return h.rejoin(ctx, c, w, r, f)
		})
		h.handle("DELETE "+path, quick(h.stop))
	}
	return h
}

// ServeHTTP serves a request. A path that the handler does not have gets status 404.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		// A writer that has no deadlines returns an error, and the host has its own.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readTimeout))
	}
	if err := h.admit(r); err != nil {
		h.refuse(w, r, err)
		return
	}
	release, err := h.limits.stream()
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	defer release()
	h.mux.ServeHTTP(w, r)
}

// errShutdown is the cause of a turn that [Handler.Shutdown] ended.
var errShutdown = errors.New("serve: the server is shutting down")

// Shutdown refuses new turns and waits for those that run. When ctx is done, it
// cancels them and waits at most 15 seconds until they have ended. The error then
// matches that of ctx. Cancelled turns of a durable agent can be resumed.
//
// Call it before [http.Server.Shutdown], which does not cancel turns.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	if !h.closing {
		h.closing = true
		if len(h.turns) == 0 {
			close(h.idle)
		}
	}
	h.mu.Unlock()
	select {
	case <-h.idle:
		return nil
	case <-ctx.Done():
	}
	h.mu.Lock()
	for t := range h.turns {
		t.cancel(errShutdown)
		if t.record != nil {
			t.record.giveUp()
		}
	}
	h.mu.Unlock()
	late := time.NewTimer(shutdownWait)
	defer late.Stop()
	select {
	case <-h.idle:
		return ctx.Err()
	case <-late.C:
		return fmt.Errorf("serve: turns do not end after they were cancelled: %w", ctx.Err())
	}
}

// shutdownWait is how long Shutdown waits for turns that it has cancelled. A durable
// agent needs 10 seconds if its store hangs, and a recording some more.
const shutdownWait = 15 * time.Second
