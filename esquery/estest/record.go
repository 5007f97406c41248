package estest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Record returns a transport that sends requests on with next, and writes each
// exchange to w, a line each, before the response is handed on. A nil next means
// [http.DefaultTransport]. A request that fails is not written.
//
// It is safe for concurrent use; w is written to by one request at a time.
func Record(next http.RoundTripper, w io.Writer) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return &recorder{next: next, w: w}
}

type recorder struct {
	next http.RoundTripper

	mu   sync.Mutex
	w    io.Writer
	pits []string // the ids of points in time that were seen, as the engine calls them
}

// RoundTrip sends req on and writes what came of it.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	sent := req.Clone(req.Context()) // a transport must not change its request
	x, err := request(sent)
	if err != nil {
		return nil, err
	}
	resp, err := r.next.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	raw, err := readAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return nil, fmt.Errorf("estest: the response to %s: %w", x.name(), err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(raw))
	x.Status = resp.StatusCode
	for _, name := range keptHeaders {
		if value := resp.Header.Get(name); value != "" {
			if x.Header == nil {
				x.Header = make(map[string]string)
			}
			x.Header[name] = value
		}
	}
	if err := r.write(x, raw); err != nil {
		return nil, err
	}
	return resp, nil
}

func (r *recorder) write(x *exchange, raw []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	response, pit, err := lasting(raw)
	if err != nil {
		x.Text = string(raw)
	} else {
		x.Response = response
	}
	if pit != "" && !r.seen(pit) {
		r.pits = append(r.pits, pit)
	}
	line, err := encode(x)
	if err != nil {
		return fmt.Errorf("estest: the response to %s: %w", x.name(), err)
	}
	text := string(line)
	for i, id := range r.pits {
		text = strings.ReplaceAll(text, id, "pit-"+strconv.Itoa(i+1))
	}
	if _, err := io.WriteString(r.w, text+"\n"); err != nil {
		return fmt.Errorf("estest: the recording: %w", err)
	}
	return nil
}

func (r *recorder) seen(pit string) bool {
	for _, id := range r.pits {
		if id == pit {
			return true
		}
	}
	return false
}

// lasting is a response without what differs each time, and the point in time that
// it names. Below its first level it stays as it was.
func lasting(raw []byte) (response json.RawMessage, pit string, err error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, "", nil
	}
	var parts map[string]json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		var b bytes.Buffer
		err := json.Compact(&b, raw)
		return b.Bytes(), "", err
	}
	if _, ok := parts["took"]; ok {
		parts["took"] = json.RawMessage("0")
	}
	for _, name := range []string{"pit_id", "id"} {
		var id string
		// An id of this length is a point in time: Elasticsearch calls it id when it is opened, and pit_id later.
		if json.Unmarshal(parts[name], &id) == nil && len(id) >= minPIT {
			pit = id
		}
	}
	response, err = encode(parts)
	return response, pit, err
}

const minPIT = 40
