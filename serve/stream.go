package serve

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/qedkit/qed"
)

// frames are server-sent events that wait to be written.
type frames struct {
	buf []byte
	n   int     // of frames since the turn began
	at  *cursor // the frames up to it were read before
	err error
}

// add adds a frame with the JSON of v.
func (f *frames) add(v any) {
	if f.n++; f.n <= f.at.n {
		return
	}
	data, err := json.Marshal(v)
	if err != nil {
		f.err = fmt.Errorf("serve: an event has no JSON: %w", err)
		return
	}
	f.data(data)
}

// end adds a frame that is not JSON.
func (f *frames) end(text string) {
	if f.n++; f.n > f.at.n {
		f.data([]byte(text))
	}
}

func (f *frames) data(data []byte) {
	if f.at.id != "" {
		f.buf = append(f.buf, "id: "...)
		f.buf = append(f.buf, f.at.id...)
		f.buf = append(f.buf, '.')
		f.buf = strconv.AppendInt(f.buf, int64(f.n), 10)
		f.buf = append(f.buf, '\n')
	}
	f.buf = append(f.buf, "data: "...)
	f.buf = append(f.buf, data...)
	f.buf = append(f.buf, "\n\n"...)
}

// A cursor is a position in the frames of a turn.
type cursor struct {
	id string // of the turn; empty if frames have no ids, because they cannot be read again
	n  int    // how many frames were read
}

// parseCursor reads the id of a frame.
func parseCursor(text string) (cursor, bool) {
	id, count, ok := strings.Cut(text, ".")
	n, err := strconv.Atoi(count)
	if !ok || err != nil || n < 0 || id == "" {
		return cursor{}, false
	}
	return cursor{id, n}, true
}

// A stream is a response of server-sent events.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	header  http.Header
	opt     *Options

	mu      sync.Mutex // held while something is written
	begun   bool
	written time.Time
	err     error
	beats   *time.Timer
	closed  bool
}

// firstBeat is the time after which a response begins without an event. Until then
// it can still be an error.
const firstBeat = time.Second

func newStream(w http.ResponseWriter, header http.Header, opt *Options) *stream {
	s := &stream{w: w, control: http.NewResponseController(w), header: header, opt: opt, written: time.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beats = time.AfterFunc(min(opt.Heartbeat, firstBeat), s.beat)
	return s
}

// write sends text to the reader at once.
func (s *stream) write(text []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writeLocked(text)
}

func (s *stream) writeLocked(text []byte) error {
	if s.err != nil || s.closed {
		return s.err
	}
	if !s.begun {
		s.begun = true
		header := s.w.Header()
		header.Set("Content-Type", "text/event-stream")
		header.Set("Cache-Control", "no-cache, no-store")
		header.Set("X-Accel-Buffering", "no")
		header.Set("X-Content-Type-Options", "nosniff")
		maps.Copy(header, s.header)
		s.w.WriteHeader(http.StatusOK)
	}
	s.written = time.Now()
	// A writer that has no deadlines returns an error, and the host has its own.
	_ = s.control.SetWriteDeadline(s.written.Add(s.opt.WriteTimeout))
	if _, s.err = s.w.Write(text); s.err == nil {
		s.err = s.control.Flush()
	}
	return s.err
}

// beat writes a comment if nothing was written for a while.
func (s *stream) beat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.err != nil {
		return
	}
	wait := s.opt.Heartbeat - time.Since(s.written)
	if wait <= 0 || !s.begun {
		_ = s.writeLocked([]byte(":\n\n")) // the next event returns the error
		wait = s.opt.Heartbeat
	}
	s.beats.Reset(wait)
}

// refused reports whether no response was begun, so that it can be an error. The
// stream writes nothing from then on.
func (s *stream) refused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = !s.begun
	return s.closed
}

func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.beats.Stop()
	_ = s.control.SetWriteDeadline(time.Time{}) // for the next request of the connection
}

// respond writes the events of a turn, from a position on. With each event comes
// whether to send it at once: false means that the next one is there already.
func (h *Handler) respond(
	w http.ResponseWriter, r *http.Request, req *request, at *cursor, events iter.Seq2[qed.Event, bool],
) {
	if req.whole != nil {
		for e := range events {
			switch d := e.Data.(type) {
			case qed.Completed:
				req.whole(w, d.Answer)
				return
			case qed.Failed:
				h.refuse(w, r, failure(d, statusOf(d.Code)))
				return
			}
		}
		h.refuse(w, r, errMoved)
		return
	}
	s := newStream(w, req.header, &h.opt)
	defer s.close()
	f := &frames{at: at}
	began := false
	for e, now := range events {
		if !began {
			began = true
			if refused, ok := rejection(e); ok && s.refused() {
				h.refuse(w, r, refused)
				return
			}
			req.encoder.start(f)
		}
		req.encoder.event(f, e)
		if f.err != nil {
			h.opt.Logger.ErrorContext(r.Context(), "serve: an event was not sent", "kind", e.Kind(), "error", f.err)
			f.err = nil
		}
		if !now || len(f.buf) == 0 {
			continue
		}
		if s.write(f.buf) != nil {
			return // the reader has left, or is too slow
		}
		f.buf = f.buf[:0]
	}
	if !began && s.refused() {
		h.refuse(w, r, errMoved)
	}
}

// errMoved refuses a request whose turn left this process before its first event.
var errMoved = &Error{Status: http.StatusServiceUnavailable, Code: "moved",
	Message: "the turn continues in another process; read it again in a moment", Retry: time.Second}

func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))
}
