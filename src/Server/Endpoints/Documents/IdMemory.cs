using Jackdaw.Documents;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Documents;

/// <summary>The memory that ids of one kind take in a request, which is bounded (<see cref="Limits.MaxIdMemoryBytes"/>).</summary>
internal struct IdMemory
{
    /// <summary>What an id takes beside its characters: a string's head and its place in a set.</summary>
    private const int OverheadBytes = 64;

    private long _bytes;
    private int _count;

    /// <summary>Counts an id; false when it and those before it take more than they may.</summary>
    public bool TryAdd(string id)
    {
        _count++;
        _bytes += OverheadBytes + (2L * id.Length);
        return _bytes <= Limits.MaxIdMemoryBytes;
    }

    /// <summary>The refusal of one id too many.</summary>
    /// <param name="what">What the ids are, e.g. "The request asks for".</param>
    public readonly BadRequestException Refusal(string what) =>
        new(
            $"{what} {_count:N0} documents or more; the ids of one request may take {Limits.MaxIdMemoryBytes >> 20} MB, at two bytes a "
                + "character and 64 an id (Limits.MaxIdMemoryBytes). Ask for fewer at once."
        );
}
