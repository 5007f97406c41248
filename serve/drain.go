package serve

import (
	"io"
	"net/http"
	"time"
)

// readByServer is how much of an unread body the server of net/http reads by itself
// before it sends a response. If there is more, it closes the connection half a second
// after the response. A client that still sends then gets a reset, and loses the response
// that it has not read.
const readByServer = 256 << 10

// maxDrained is how much of a longer body is read after the response, for at most
// readTimeout.
const maxDrained = 64 << 20

// drained responds to a request without its body. Then it reads the rest of a long body,
// so that a client that sends everything before it reads gets the response.
func drained(w http.ResponseWriter, r *http.Request, respond func()) {
	long := r.ContentLength < 0 || r.ContentLength > readByServer
	rc := http.NewResponseController(w)
	if r.ProtoMajor != 1 || !long || rc.EnableFullDuplex() != nil { // HTTP/2 ends the stream alone
		respond()
		return
	}
	w.Header().Set("Connection", "close")
	respond()
	if rc.Flush() != nil || rc.SetReadDeadline(time.Now().Add(readTimeout)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, r.Body, maxDrained) // the client may leave at any time
}
