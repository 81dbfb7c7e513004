namespace Jackdaw.Indexing.Queries;

internal enum QueryValueKind
{
    Null,
    Text,
    Number,
}
