using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage;

/// <summary>Asserts that stay on in Release.</summary>
public static class Invariant
{
    /// <summary>Throws <see cref="InvariantViolationException"/> naming the expression when it does not hold.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Require(
        [DoesNotReturnIf(false)] bool condition,
        [CallerArgumentExpression(nameof(condition))] string? expression = null,
        [CallerMemberName] string? member = null
    )
    {
        if (!condition)
            Throw(expression, member);
    }

    [DoesNotReturn]
    private static void Throw(string? expression, string? member) =>
        throw new InvariantViolationException($"Invariant violated in {member}: {expression}");
}
