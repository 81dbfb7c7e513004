using Jackdaw.Documents.Reading;

namespace Jackdaw.Indexing.Mapping;

/// <summary>A compiled definition: makes entries of documents. Of one thread at a time.</summary>
internal interface IIndexMap : IDisposable
{
    /// <summary>A batch begins: every field that is known beforehand gets its id.</summary>
    void Begin(IEntryWriter writer);

    /// <summary>
    /// Adds the document's entries to the writer. Errors: a <see cref="MappingException"/> when this document cannot be mapped; its entries
    /// so far do not count.
    /// </summary>
    void Map(in Document document, IEntryWriter writer);
}
