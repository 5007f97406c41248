package estest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/qedkit/qed/internal/strictjson"
)

// Record returns a transport that sends requests with next and writes each exchange
// to w as one line, before it returns the response. A nil next means
// [http.DefaultTransport]. Requests that fail without a response are not recorded.
// The transport is safe for concurrent use and calls w.Write by one goroutine at a
// time.
func Record(next http.RoundTripper, w io.Writer) http.RoundTripper {
	next = cmp.Or(next, http.DefaultTransport)
	return &recorder{next: next, w: w}
}

type recorder struct {
	next http.RoundTripper

	mu   sync.Mutex
	w    io.Writer
	pits []string // the ids of the points in time so far
}

// RoundTrip sends req and records the exchange.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	sent := req.Clone(req.Context()) // a transport must not change the request
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
	for _, name := range recordedHeaders {
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
	response, pit, err := stable(raw)
	if err != nil {
		x.Text = string(raw)
	} else {
		x.Response = response
	}
	if pit != "" && !slices.Contains(r.pits, pit) {
		r.pits = append(r.pits, pit)
	}
	line, err := strictjson.Encode(x)
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

// stable returns a response without the values that differ each time, and the point
// in time that it names. Only the first level of the response is changed.
func stable(raw []byte) (response json.RawMessage, pit string, err error) {
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
		// Elasticsearch uses "id" when it opens a point in time, and "pit_id" later. Its
		// length distinguishes a point in time from other ids.
		if json.Unmarshal(parts[name], &id) == nil && len(id) >= minPIT {
			pit = id
		}
	}
	response, err = strictjson.Encode(parts)
	return response, pit, err
}

const minPIT = 40
