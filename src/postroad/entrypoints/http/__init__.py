"""The HTTP door of the service: requests become calls of use cases, views become JSON.

`app.build_app` puts it together. `conventions` holds what every route shares, `routes/<owner>.py` the paths of one
owner, `wire/<owner>.py` the shapes it reads and shows. A route is a translation: parse, call one use case, present.

How to add an owner: write `wire/<owner>.py` and `routes/<owner>.py` with `add_routes(router, composition)`, and put the
module into `routes.OWNERS`. A route that needs more than `HttpComposition` says so in a Protocol of its own that
extends it and becomes a base of `surface.Surface`; `app` fills it.
"""
