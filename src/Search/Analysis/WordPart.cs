namespace Jackdaw.Search.Analysis;

/// <summary>What a character is to a word.</summary>
internal enum WordPart : byte
{
    /// <summary>Never in a word.</summary>
    None,

    Letter,

    Digit,

    /// <summary>Joins whatever it stands beside, such as the low line.</summary>
    Connector,

    /// <summary>Belongs to the character before it.</summary>
    Mark,

    /// <summary>A word of its own.</summary>
    Ideograph,

    BetweenLetters,

    BetweenDigits,

    /// <summary>Between two letters, or between two digits.</summary>
    BetweenAny,
}
