using Jackdaw.Documents.Reading;

namespace Jackdaw.Server.Endpoints.Documents;

/// <summary>Receives each document of a walk.</summary>
internal delegate void DocumentAction(in Document document);
