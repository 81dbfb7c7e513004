namespace Jackdaw.Indexing.Queries;

/// <summary>A step of a <see cref="JsonFieldPath"/>.</summary>
/// <param name="Name">The property's name in UTF-8, without escapes; empty for the other kinds.</param>
/// <param name="Index">The element's number from 0, for <see cref="JsonPathSegmentKind.ElementAt"/>.</param>
internal readonly record struct JsonPathSegment(JsonPathSegmentKind Kind, byte[] Name, int Index = 0)
{
    public static JsonPathSegment Property(string name) => new(JsonPathSegmentKind.Property, System.Text.Encoding.UTF8.GetBytes(name));

    public static JsonPathSegment Of(JsonPathSegmentKind kind, int index = 0) => new(kind, [], index);
}
