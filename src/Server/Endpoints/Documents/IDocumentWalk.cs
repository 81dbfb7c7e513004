using Jackdaw.Documents.Reading;

namespace Jackdaw.Server.Endpoints.Documents;

/// <summary>Documents in some order, read over as many read transactions as it takes.</summary>
internal interface IDocumentWalk
{
    /// <summary>True when nothing is left.</summary>
    bool IsAtEnd { get; }

    /// <summary>Goes on until the end of the walk, until the reader is due, or until <paramref name="hasRoom"/> says no.</summary>
    void Read(DocumentsReader reader, Func<bool> hasRoom, DocumentAction action);
}
