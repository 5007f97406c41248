package esquery_test

import "testing"

func TestGeoQueries(t *testing.T) {
	runChecks(t, validator(t, nil), ofQueries([]checkCase{
		{"distance", `{"geo_distance":{"distance":"10km","place":{"lat":1,"lon":2},"distance_type":"plane","validation_method":"COERCE"}}`, ""},
		{"distance with a unit", `{"geo_distance":{"distance":10,"unit":"mi","place":"1,2"}}`, ""},
		{"distance on a shape", `{"geo_distance":{"distance":"10km","area":[2,1]}}`, ""},
		{"no distance", `{"geo_distance":{"place":"1,2"}}`, "malformed /geo_distance"},
		{"a distance of another kind", `{"geo_distance":{"distance":"10d","place":"1,2"}}`, "invalid_literal /geo_distance/distance"},
		{"distance without a field", `{"geo_distance":{"distance":"10km"}}`, "malformed /geo_distance"},
		{"distance on two fields", `{"geo_distance":{"distance":"10km","place":"1,2","area":"1,2"}}`, "malformed /geo_distance"},
		{"distance with an unknown parameter", `{"geo_distance":{"distance":"10km","radius":"1","place":"1,2"}}`, "malformed /geo_distance"},
		{"distance on a text", `{"geo_distance":{"distance":"10km","title":"1,2"}}`, "field_type /geo_distance/title"},
		{"distance of a latitude out of bounds", `{"geo_distance":{"distance":"10km","place":{"lat":100,"lon":2}}}`, "invalid_literal /geo_distance/place"},

		{"box", `{"geo_bounding_box":{"place":{"top_left":{"lat":10,"lon":-10},"bottom_right":[10,-10]}}}`, ""},
		{"box of other corners", `{"geo_bounding_box":{"place":{"top_right":"10,10","bottom_left":"-10,-10"},"ignore_unmapped":true}}`, ""},
		{"box of numbers", `{"geo_bounding_box":{"place":{"top":10,"left":-10,"bottom":-10,"right":10}}}`, ""},
		{"box of text", `{"geo_bounding_box":{"place":{"wkt":"BBOX (-10, 10, 10, -10)"}}}`, ""},
		{"box on a keyword", `{"geo_bounding_box":{"status":{"top":10,"left":-10,"bottom":-10,"right":10}}}`, "field_type /geo_bounding_box/status"},

		{"polygon", `{"geo_polygon":{"place":{"points":["0,0","0,5",[5,5]]}}}`, "forbidden /geo_polygon"},

		{"shape", `{"geo_shape":{"area":{"shape":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]},"relation":"within"}}}`, "forbidden /geo_shape"},
		{"shape on a point", `{"geo_shape":{"place":{"shape":{"type":"envelope","coordinates":[[-10,10],[10,-10]]}}}}`, "forbidden /geo_shape"},
		{"shape as text", `{"geo_shape":{"area":{"shape":"POINT (2 1)"}}}`, "forbidden /geo_shape"},
		{"shape of another document", `{"geo_shape":{"area":{"indexed_shape":{"index":"x","id":"1"}}}}`, "forbidden /geo_shape"},
		{"shape in a plane", `{"shape":{"plan":{"shape":{"type":"point","coordinates":[1000,2000]}}}}`, "forbidden /shape"},
		{"shape in a plane on the earth", `{"shape":{"area":{"shape":"POINT (2 1)"}}}`, "forbidden /shape"},

		{"grid", `{"geo_grid":{"place":{"geotile":"6/32/22"}}}`, "forbidden /geo_grid"},
	}))
}
