package esclient

import (
	"context"
	"errors"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/qedkit/qed/esquery"
)

// Mapping returns the mapping of an index, or of all indices of an alias. Its errors are
// [*esquery.EngineError], or match [context.Canceled].
func (c *Client) Mapping(ctx context.Context, index string) (*esquery.Mapping, error) {
	if index == "" { // an empty name would mean all indices
		return nil, errors.New("esclient: Mapping needs the name of an index")
	}
	var mapping *esquery.Mapping
	err := c.do(ctx, &call{
		index: index,
		request: func(time.Duration) esapi.Request {
			return esapi.IndicesGetMappingRequest{Index: path(index)}
		},
		read: func(r *response) (err error) {
			mapping, err = esquery.ParseMapping(r.body)
			return err
		},
	})
	return mapping, err
}
