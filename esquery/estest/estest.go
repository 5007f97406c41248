// Package estest records what a real Elasticsearch or OpenSearch answers, and
// replays it, so that tests and examples run on the engine's own words where no
// engine is.
//
// [Record] and [Replay] are transports for a client's Config.Transport. A
// recording is a text of JSON lines, one exchange a line, that can be kept beside
// the tests. A request is found again by its method, its path with sorted
// parameters, and its JSON: neither the order of keys nor space counts. One that
// was not recorded is refused with the nearest that was, and where they differ.
//
// A recording goes stale when the engine changes. Record it anew on a real engine
// and [Compare] the two.
//
// What changes from one time to the next is recorded as something that does not:
// the time that a search took is 0, points in time are called pit-1, pit-2 and so
// on. No host, credential or header but the content's type and the product's name
// is recorded; the bodies are, whole.
//
// Nothing here needs package testing.
package estest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// exchange is one line of a recording.
type exchange struct {
	Method   string            `json:"method"`
	Path     string            `json:"path"`           // with its parameters, sorted
	Body     json.RawMessage   `json:"body,omitempty"` // of the request, as JSON; of several lines of JSON, as a list of them
	Status   int               `json:"status"`
	Header   map[string]string `json:"header,omitempty"`
	Response json.RawMessage   `json:"response,omitempty"`
	Text     string            `json:"text,omitempty"` // of a response that is not JSON
}

// keptHeaders are those of a response that a client looks at.
var keptHeaders = []string{"Content-Type", "X-Elastic-Product"}

// key identifies the request.
func (x *exchange) key() string { return x.Method + " " + x.Path + " " + string(x.Body) }

// name is the request without its body, for messages.
func (x *exchange) name() string { return x.Method + " " + x.Path }

// maxBody limits what is read of a request or a response at once.
const maxBody = 64 << 20

// request reads what is asked, and leaves req as it was for who sends it on.
func request(req *http.Request) (*exchange, error) {
	x := &exchange{Method: req.Method, Path: req.URL.EscapedPath()}
	if x.Path == "" {
		x.Path = "/"
	}
	if len(req.URL.RawQuery) > 0 {
		parameters, err := url.ParseQuery(req.URL.RawQuery)
		if err != nil {
			return nil, fmt.Errorf("estest: the parameters of %s: %w", x.name(), err)
		}
		x.Path += "?" + parameters.Encode()
	}
	if req.Body == nil || req.Body == http.NoBody {
		return x, nil
	}
	raw, err := readAll(req.Body)
	if err := errors.Join(err, req.Body.Close()); err != nil {
		return nil, fmt.Errorf("estest: the body of %s: %w", x.name(), err)
	}
	req.Body = io.NopCloser(bytes.NewReader(raw))
	if x.Body, err = normalised(raw); err != nil {
		return nil, fmt.Errorf("estest: the body of %s is not JSON: %w", x.name(), err)
	}
	return x, nil
}

func readAll(r io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if err == nil && len(raw) > maxBody {
		err = fmt.Errorf("it is longer than %d bytes", maxBody)
	}
	return raw, err
}

// normalised writes a JSON value with sorted keys and without space; several
// values, as bulk requests have them, as a list.
func normalised(raw []byte) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var all []any
	for {
		var v any
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	switch len(all) {
	case 0:
		return nil, nil
	case 1:
		return encode(all[0])
	}
	return encode(all)
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // a recording is read by people
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// read reads a recording.
func read(r io.Reader) ([]*exchange, error) {
	var all []*exchange
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 2*maxBody)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		x := &exchange{}
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(x); err != nil {
			return nil, fmt.Errorf("estest: line %d of the recording: %w", n, err)
		}
		if x.Method == "" || x.Path == "" || x.Status == 0 {
			return nil, fmt.Errorf("estest: line %d of the recording is no exchange", n)
		}
		if len(x.Body) > 0 { // a person may have written it
			var err error
			if x.Body, err = normalised(x.Body); err != nil {
				return nil, fmt.Errorf("estest: line %d of the recording: %w", n, err)
			}
		}
		all = append(all, x)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("estest: the recording: %w", err)
	}
	return all, nil
}
