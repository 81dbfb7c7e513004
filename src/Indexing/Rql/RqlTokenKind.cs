namespace Jackdaw.Indexing.Rql;

internal enum RqlTokenKind
{
    End,
    Identifier,
    String,
    Number,
    Parameter,
    Comma,
    Dot,
    Star,
    LeftParenthesis,
    RightParenthesis,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}
