namespace Jackdaw.Search.Analysis;

/// <summary>Takes the terms of a text.</summary>
internal interface ITermSink
{
    /// <summary>A term, readable until the call returns.</summary>
    /// <param name="term">Its UTF-8.</param>
    /// <param name="position">Its number among the words of the text, from 0; words that are left out are counted.</param>
    void Add(ReadOnlySpan<byte> term, uint position);
}
