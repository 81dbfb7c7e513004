namespace Jackdaw.Indexing.Queries;

internal enum ProjectedFieldSource
{
    Body,
    Metadata,
    Id,
}
