// Package estest records the responses of a real Elasticsearch or OpenSearch and
// replays them, so that tests and examples run without an engine.
//
// [Record] and [Replay] return transports for esclient.Options.Transport. Record
// writes a recording on a real engine; Replay answers from it:
//
//	transport, err := estest.Replay(recording)
//	...
//	client, err := esclient.New(&esclient.Options{Transport: transport})
//
// A recording is a text of JSON lines, one exchange a line, that can be kept next
// to the tests. A request is found by its method, its path with sorted parameters,
// and its JSON body, in which the order of keys and white space do not matter. A
// request that was not recorded fails; the error shows it and a recorded one.
//
// A recording becomes outdated when the engine changes. Make a new recording on a
// real engine and compare the lines of the two.
//
// Values that differ each time are replaced: the time that a search took is 0, and
// points in time are named pit-1, pit-2 and so on. Hosts, credentials and headers
// are not recorded, except the content type and the name of the product. Bodies are
// recorded completely.
//
// Package estest does not import package testing.
package estest

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/qedkit/qed/internal/strictjson"
)

// An exchange is one line of a recording.
type exchange struct {
	Method   string            `json:"method"`
	Path     string            `json:"path"`           // with sorted parameters
	Body     json.RawMessage   `json:"body,omitempty"` // of the request
	Status   int               `json:"status"`
	Header   map[string]string `json:"header,omitempty"`
	Response json.RawMessage   `json:"response,omitempty"`
	Text     string            `json:"text,omitempty"` // of a response that is not JSON
}

// recordedHeaders are the headers of a response that a client reads.
var recordedHeaders = []string{"Content-Type", "X-Elastic-Product"}

// key returns what identifies the request.
func (x *exchange) key() string { return x.Method + " " + x.Path + " " + string(x.Body) }

// name returns the request without its body, for messages.
func (x *exchange) name() string { return x.Method + " " + x.Path }

// maxBody limits the body of a request or a response.
const maxBody = 64 << 20

// request returns the exchange of a request. It replaces the body of req, so that
// req can still be sent.
func request(req *http.Request) (*exchange, error) {
	x := &exchange{Method: req.Method, Path: req.URL.EscapedPath()}
	x.Path = cmp.Or(x.Path, "/")
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

// normalised returns a JSON value with sorted keys and without white space.
func normalised(raw []byte) (json.RawMessage, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	v, err := strictjson.Any(raw)
	if err != nil {
		return nil, err
	}
	return strictjson.Encode(v)
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
		if err := strictjson.Decode(line, x); err != nil {
			return nil, fmt.Errorf("estest: line %d of the recording: %w", n, err)
		}
		if x.Method == "" || x.Path == "" || x.Status == 0 {
			return nil, fmt.Errorf("estest: line %d of the recording is not an exchange", n)
		}
		if len(x.Body) > 0 { // the recording may be written by hand
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
